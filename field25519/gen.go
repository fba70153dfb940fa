package field25519

//go:generate go run ../gen/field -field p25519 -out .
//go:generate go run ../gen/montmul -field n25519 -out .
