module github.com/seed-6f9cd256/fieldproof/peers

go 1.26.8

require (
	filippo.io/edwards25519 v1.2.0
	filippo.io/nistec v0.0.4
	github.com/c2sp/wycheproof v0.0.0-20260902155932-3fa63dd0344a
	github.com/cloudflare/circl v1.6.5
	github.com/consensys/gnark-crypto v0.22.0
	github.com/oasisprotocol/curve25519-voi v0.0.0-20230904125328-1f23a7beb09a
	github.com/seed-6f9cd256/fieldproof v0.0.0
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da
	golang.org/x/sys v0.50.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/bits-and-blooms/bitset v1.25.0 // indirect
	golang.org/x/crypto v0.57.0 // indirect
)

replace github.com/seed-6f9cd256/fieldproof => ../
