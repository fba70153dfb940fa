package tests

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A report is what users of other libraries found broken, or missed, and what
// becomes of it here. owner/repository#N stands for the issue or pull request at
// https://github.com/owner/repository/issues/N, and a bare #N for one more of
// the same repository.
type report struct {
	where string
	what  string
	tests []string // names of tests, anywhere in the module
	// elsewhere says what else checks it, which is enough alone for what is
	// measured only. later says what waits for packages that are not there yet.
	elsewhere, later string
}

var reports = []report{
	{
		"armfazh/rfc7748_precomputed#5, #6; openssl/openssl#6687, #6699",
		"a sum or difference modulo 2^255-19 lost its second carry",
		[]string{"TestReport_armfazh_rfc7748_precomputed_5", "TestReport_openssl_openssl_6687", "TestReport_openssl_openssl_6699"}, "", "",
	},
	{
		"cloudflare/bn256#27; wolfSSL/wolfssl#6947, #6030; arkworks-rs/algebra#549",
		"the last subtraction of a Montgomery reduction ignored bit 256",
		[]string{"TestReport_cloudflare_bn256_27"}, "", "arm64 assembly",
	},
	{
		"golang/go#20040 (CVE-2017-8932)",
		"a subtraction modulo the P-256 prime chose the wrong branch",
		[]string{"TestReport_golang_go_20040"}, "TestAddAffine draws such coordinates", "",
	},
	{
		"golang/go#30095, #20582; mit-plv/fiat-crypto#912, #950; agl/curve25519-donna#25; firedancer-io/firedancer#4917",
		"the top bit of an X25519 coordinate was not masked, or q and more not reduced",
		[]string{"TestReport_golang_go_30095", "TestReport_golang_go_20582"}, "", "",
	},
	{
		"FiloSottile/edwards25519#19, #13; gtank/ristretto255#21; bwesterb/go-ristretto#19",
		"an output was written while an input was needed",
		[]string{"TestReport_FiloSottile_edwards25519_19", "TestReport_FiloSottile_edwards25519_13"},
		"TestRoutines, TestElement and TestScalar try every aliasing", "",
	},
	{
		"golang/go#58647 (CVE-2023-24532)",
		"a scalar at or above the order met an incomplete addition",
		[]string{"TestReport_golang_go_58647"}, "", "",
	},
	{
		"kmackay/micro-ecc#141; golang/go#21334",
		"a sum of two multiples was wrong for equal summands",
		[]string{"TestReport_kmackay_micro_ecc_141", "TestReport_golang_go_21334"}, "", "",
	},
	{
		"dalek-cryptography/curve25519-dalek#659; mit-plv/fiat-crypto#840, #748; bitcoin-core/secp256k1#1257, #1303",
		"compilers turned masks and carries into jumps",
		[]string{"TestReport_dalek_cryptography_curve25519_dalek_659"}, "the lint for the assembly", "",
	},
	{
		"mmcloughlin/avo#156; FiloSottile/edwards25519#11, #16; oasisprotocol/curve25519-voi#30; golang/go#69629, #69838",
		"assembly overwrote BP, and the profiler or the tracer crashed",
		[]string{"TestReport_mmcloughlin_avo_156"}, "the lint for BP, SP, g and X15", "",
	},
	{
		"supranational/blst#156; ctz/graviola#84, #85; open-quantum-safe/liboqs#961; golang/go#18512",
		"ADX or BMI2 was used where the CPU does not have it",
		[]string{"TestReport_supranational_blst_156"}, "", "",
	},
	{
		"FiloSottile/age#633; golang/go#79205",
		"MULX was wrong under a translator that claims to have it",
		[]string{"TestReport_FiloSottile_age_633", "TestReport_golang_go_79205"}, "", "",
	},
	{
		"RustCrypto/utils#623",
		"a sum modulo the P-256 order lost the carry out of 2^256",
		[]string{"TestReport_RustCrypto_utils_623"}, "", "",
	},
	{
		"kazu-yamamoto/crypton#78",
		"a quotient estimate one too large crashed on a valid point",
		[]string{"TestReport_kazu_yamamoto_crypton_78"}, "", "",
	},
	{
		"golang/go#62546; dalek-cryptography/ed25519-dalek#115, #319; zcash/zips#355; oasisprotocol/curve25519-voi#18",
		"batch and single verification disagreed",
		[]string{"TestReport_golang_go_62546", "TestReport_dalek_cryptography_ed25519_dalek_115"}, "", "",
	},
	{
		"guanzhi/GmSSL#858; cloudflare/circl#669, #659",
		"an instruction took a flag that an earlier, unrelated one had left",
		[]string{"TestReport_guanzhi_GmSSL_858"}, "the liveness pass of the generator", "",
	},
	{
		"golang/go#13515 (CVE-2015-8618), #13907; OpenSSL's CVE-2015-3193, 2016-7055, 2017-3732, 2017-3736, 2017-3738",
		"a carry was lost in a Montgomery product, or the modulus returned for 0",
		[]string{"TestReport_golang_go_13515"}, "", "moduli of other sizes",
	},
	{
		"wolfSSL/wolfssl#3845, #10956",
		"an inversion modulo the P-256 order dropped a carry",
		[]string{"TestReport_wolfSSL_wolfssl_3845", "TestReport_wolfSSL_wolfssl_10956"}, "", "",
	},
	{
		"RustCrypto/elliptic-curves#1267; RustCrypto/crypto-bigint#606; fractalyze/prime-ir#309; mit-plv/fiat-crypto#1945; " +
			"ktakashi/sagittarius-scheme#213; Consensys-Incorporated/gnark-crypto#138",
		"too few division steps, or a signed limb without headroom",
		[]string{"TestReport_RustCrypto_elliptic_curves_1267"}, "", "",
	},
	{
		"dalek-cryptography/curve25519-dalek#270, #399; oasisprotocol/curve25519-voi#113; openvm-org/stark-backend#393",
		"a zero spoiled a batch of inversions, or the inversion of zero did not end",
		[]string{"TestReport_dalek_cryptography_curve25519_dalek_270"}, "", "",
	},
	{
		"Legrandin/pycryptodome#922; C2SP/wycheproof#206; C2SP/CCTV",
		"the coordinate of a signature was not reduced, or the loop over nonces not tested",
		[]string{"TestReport_Legrandin_pycryptodome_922"}, "TestRFC6979 has a message whose first nonce is refused", "",
	},
	{
		"golang/go#50974 (CVE-2022-23806), #20482; Consensys-Incorporated/gnark-crypto#274, #346",
		"values at or above the modulus were accepted, or reduced in silence",
		[]string{"TestReport_golang_go_50974", "TestReport_golang_go_20482"}, "", "",
	},
	{
		"golang/go#71383 (CVE-2025-22866); wolfSSL/wolfssl#3184; kmackay/micro-ecc#165",
		"a jump or an address depended on a secret",
		[]string{"TestReport_golang_go_71383"}, "", "",
	},
	{
		"openssl/openssl#23860, #26429 (CVE-2024-13176)",
		"the time depended on the length of a nonce",
		[]string{"TestReport_openssl_openssl_23860", "TestReport_openssl_openssl_26429"}, "", "",
	},
	{
		"golang/go#49702, #66450; cloudflare/circl#468",
		"division, or multiplication without DIT, took a time that depended on secrets",
		[]string{"TestReport_golang_go_49702"}, "", "DIT on arm64",
	},
	{
		"golang/go#23172, #58636; cloudflare/circl#491; Consensys-Incorporated/gnark-crypto#602",
		"the tag purego did not leave out every assembly file",
		[]string{"TestReport_golang_go_23172"}, "", "",
	},
	{
		"golang/go#52075 (CVE-2022-28327), #60411; btcsuite/btcd#1178, #1602",
		"bytes of a wrong length made a function panic",
		[]string{"TestReport_golang_go_52075", "TestReport_golang_go_60411"}, "", "",
	},
	{
		"awslabs/s2n-bignum#172, #443; golang/go#44269",
		"a read past an operand, or data below the stack pointer",
		[]string{"TestReport_awslabs_s2n_bignum_172"}, "the lint for the stack", "",
	},
	{
		"golang/go#80858; oasisprotocol/curve25519-voi#74; FiloSottile/edwards25519#44; " +
			"Consensys-Incorporated/gnark-crypto#40; mmcloughlin/ec3#92",
		"field arithmetic, X25519 above all, was slower than it could be",
		nil, "the benchmarks in peers", "arm64",
	},
	{
		"FiloSottile/edwards25519#17, #18; golang/go#47664",
		"a reduction of 48 and 64 bytes was missing",
		[]string{"TestReport_FiloSottile_edwards25519_17"}, "", "",
	},
	{
		"golang/go#69567, #74400, #52221; dalek-cryptography/curve25519-dalek#389; FiloSottile/bigmod#3; golang/go#20654",
		"users miss field elements and operations on curves",
		nil, "", "curves",
	},
	{
		"golang/go#64417; oasisprotocol/curve25519-voi#72",
		"assembly that runs for long delays the scheduler",
		[]string{"TestReport_golang_go_64417"}, "", "",
	},
	{
		"mmcloughlin/avo#189, #486; Consensys-Incorporated/gnark-crypto#303; mmcloughlin/ec3#65; golang/go#40171",
		"the generator had no arm64; an addition chain was wrong for one exponent",
		[]string{"TestReport_Consensys_Incorporated_gnark_crypto_303"}, "", "arm64",
	},
}

// measured are the reports, by the first in their place, that no test can
// decide: about speed, which benchmarks measure.
var measured = []string{"golang/go#80858"}

var reportTest = regexp.MustCompile(`(?m)^func (TestReport_\w+)\(`)

// checkReports compares the list with the tests that there are, and returns
// what is wrong.
// Only what the list measured names may do without a test that has its name,
// if it does not wait for something.
func checkReports(list []report, found map[string]bool, measured []string) []string {
	var faults []string
	listed := make(map[string]bool)
	for _, r := range list {
		first, _, _ := strings.Cut(r.where, ";")
		switch {
		case r.tests != nil:
		case r.elsewhere != "" && !slices.Contains(measured, first):
			faults = append(faults, fmt.Sprintf("%s: no test has its name, only: %s", r.where, r.elsewhere))
		case r.elsewhere == "" && r.later == "":
			faults = append(faults, fmt.Sprintf("%s: neither a test nor a reason for none", r.where))
		}
		for _, name := range r.tests {
			listed[name] = true
			if !found[name] {
				faults = append(faults, fmt.Sprintf("%s: no test %s", r.where, name))
			}
			if !strings.Contains(squeeze(r.where), reportOf(name)) {
				faults = append(faults, fmt.Sprintf("%s: %s is named after another report", r.where, name))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !listed[name] {
			faults = append(faults, name+" is not in the list")
		}
	}
	return faults
}

// reportOf returns the repository and number that a test is named after,
// squeezed.
func reportOf(test string) string { return squeeze(strings.TrimPrefix(test, "TestReport_")) }

// squeeze writes each bare number with its repository and leaves out
// punctuation, which names of functions cannot have.
func squeeze(s string) string {
	var b strings.Builder
	repository := ""
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("; ,()", r) }) {
		before, number, ok := strings.Cut(part, "#")
		if ok && before == "" {
			part = repository + "#" + number
		} else if ok {
			repository = before
		}
		b.WriteString(part + ";")
	}
	return strings.NewReplacer("/", "", "#", "", "_", "", "-", "").Replace(b.String())
}

func TestReports(t *testing.T) {
	files, err := readTree(root, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, text := range files {
		for _, m := range reportTest.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
	}
	for _, fault := range checkReports(reports, found, measured) {
		t.Error(fault)
	}
}

func TestCheckReports(t *testing.T) {
	list := []report{
		{"a-b/c#1, #2; d/e_f#3", "", []string{"TestReport_a_b_c_1", "TestReport_a_b_c_2", "TestReport_d_e_f_3"}, "", ""},
		{"g/h#4; i/j#5", "", nil, "the benchmarks", ""},
	}
	found := map[string]bool{"TestReport_a_b_c_1": true, "TestReport_a_b_c_2": true, "TestReport_d_e_f_3": true}
	only := []string{"g/h#4"}
	if faults := checkReports(list, found, only); faults != nil {
		t.Errorf("a right list: %v", faults)
	}
	// In this order: each change stays for those after it.
	for _, c := range []struct {
		expect string
		change func()
	}{
		{"no test TestReport_a_b_c_2", func() { delete(found, "TestReport_a_b_c_2") }},
		{"TestReport_x_y_9 is not in the list", func() { found["TestReport_x_y_9"] = true }},
		{"g/h#4; i/j#5: no test has its name", func() { only = nil }},
		{"neither a test nor a reason", func() { list[1].elsewhere = "" }},
		{"TestReport_g_h_4 is named after another", func() { list[0].tests[0] = "TestReport_g_h_4" }},
	} {
		c.change()
		if faults := checkReports(list, found, only); !strings.Contains(strings.Join(faults, "\n"), c.expect) {
			t.Errorf("got faults %q, want one with %q", faults, c.expect)
		}
	}
}

// MULX with a register that it reads among those that it writes was what broke
// under the translator.
func TestReport_golang_go_79205(t *testing.T) {
	files, err := readTree(root, func(name string) bool { return strings.HasSuffix(name, ".s") })
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, text := range files {
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "MULX") && !strings.HasPrefix(strings.TrimSpace(line), "//") {
				n++
				if err := checkMULX(line); err != nil {
					t.Errorf("%s:%d: %v", name, i+1, err)
				}
			}
		}
	}
	if n == 0 {
		t.Error("no MULX in the tree")
	}
}

var mulxLine = regexp.MustCompile(`^\s*MULXQ\s+(\S+), (\w+), (\w+)$`)

// checkMULX checks one line of assembly.
func checkMULX(line string) error {
	m := mulxLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("got %q, want MULXQ with three operands", line)
	}
	for _, written := range m[2:] {
		if written == m[1] {
			return fmt.Errorf("%s writes %s, which it reads", strings.TrimSpace(line), written)
		}
	}
	return nil
}

func TestCheckMULX(t *testing.T) {
	for line, ok := range map[string]bool{
		"	MULXQ R9, R10, R11":      true,
		"	MULXQ   8(SI), R13, R13": true,
		"	MULXQ R9, R9, R11":       false,
		"	MULXQ R9, R10, R9":       false,
		"	MULXL R9, R10, R11":      false,
	} {
		if err := checkMULX(line); (err == nil) != ok {
			t.Errorf("checkMULX(%q): got error %v, want ok = %t", line, err, ok)
		}
	}
}
