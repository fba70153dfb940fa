package field25519

//go:generate go run ../gen/field -out . -field p25519
//go:generate go run ../gen/montmul -out . -field n25519
