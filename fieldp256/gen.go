package fieldp256

//go:generate go run ../gen/montmul -field p256 -out .
//go:generate go run ../gen/montmul -field n256 -out .
