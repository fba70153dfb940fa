module github.com/seed-6f9cd256/fieldproof/gen

go 1.26.0

require (
	github.com/mmcloughlin/addchain v0.4.0
	github.com/mmcloughlin/avo v0.6.0
	github.com/seed-6f9cd256/fieldproof v0.0.0
)

require (
	golang.org/x/mod v0.14.0 // indirect
	golang.org/x/tools v0.16.1 // indirect
)

replace github.com/seed-6f9cd256/fieldproof => ../
