module github.com/seed-6f9cd256/fieldproof/peers

go 1.26.8

require github.com/seed-6f9cd256/fieldproof v0.0.0

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	filippo.io/nistec v0.0.4 // indirect
	github.com/cloudflare/circl v1.6.5 // indirect
	github.com/consensys/gnark-crypto v0.22.0 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/seed-6f9cd256/fieldproof => ../
