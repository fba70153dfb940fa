package edwards

//go:generate go run ../../../gen/curve -out . -curve edwards25519
