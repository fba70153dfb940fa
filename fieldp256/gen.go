package fieldp256

//go:generate go run ../gen/montmul -out . -field p256
//go:generate go run ../gen/montmul -out . -field n256
