package nist

//go:generate go run ../../../gen/curve -out . -curve nistp256
