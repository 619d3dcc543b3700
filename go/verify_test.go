package signdoc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const data = "../tests/data/verification"

// verificationCase is one of tests/vectors/verification.json.
type verificationCase struct {
	ID              string
	Call            string
	Files           []string
	Original, Trust string
	Options         [][2]string
	Expect          struct {
		Error           map[string]any
		OK              bool
		Checks          map[string]string
		Problem         Code
		Kind            string
		Signers, Levels []string
		Findings        []string
		Refused         bool
	}
}

func TestVerificationVectors(t *testing.T) {
	for _, one := range casesOf[verificationCase](t, "verification") {
		one := one
		t.Run(one.ID, func(t *testing.T) {
			fmt.Printf("vector verification/%s\n", one.ID)
			one.run(t)
		})
	}
}

func (c *verificationCase) run(t *testing.T) {
	files := []Document{}
	for _, name := range c.Files {
		files = append(files, File(filepath.Join(data, name)))
	}
	if c.Call == "preflight" {
		findings, refused, err := Preflight(files[0])
		if c.refused(t, err) {
			return
		}
		codes := map[string]bool{}
		for _, one := range findings {
			codes[one.Code] = true
		}
		for _, wanted := range c.Expect.Findings {
			if !codes[wanted] {
				t.Errorf("%s is not in %v", wanted, findings)
			}
		}
		if refused != c.Expect.Refused {
			t.Error(refused, findings)
		}
		return
	}
	question := Question{Options: c.Options}
	if c.Original != "" {
		original := File(filepath.Join(data, c.Original))
		question.Original = &original
	}
	if c.Trust != "" {
		// From memory, which the paths of the other files do not try.
		trust, err := os.ReadFile(filepath.Join(data, c.Trust))
		if err != nil {
			question.Trust = []Document{File(filepath.Join(data, c.Trust))}
		} else {
			question.Trust = []Document{Bytes(trust, "")}
		}
	}
	report, err := Verify(files, question)
	if !c.refused(t, err) {
		c.check(t, report)
	}
}

// refused says whether an error was expected, and checks it.
func (c *verificationCase) refused(t *testing.T, err error) bool {
	if c.Expect.Error == nil {
		if err != nil {
			t.Fatal(err)
		}
		return false
	}
	var told *Error
	if !errors.As(err, &told) || float64(told.Code) != c.Expect.Error["code"] {
		t.Errorf("%v instead of %v", err, c.Expect.Error)
	}
	return true
}

func (c *verificationCase) check(t *testing.T, report *Report) {
	if report.OK != c.Expect.OK {
		t.Error(report.JSON)
	}
	for name, status := range c.Expect.Checks {
		if report.Status(name) != status {
			t.Errorf("%s is %s, not %s", name, report.Status(name), status)
		}
	}
	page, err := report.HTML("a<b")
	verdict := map[bool]string{true: ">Verified<", false: ">Not verified<"}[report.OK]
	if err != nil || !strings.Contains(page, "<title>a&lt;b</title>") || !strings.Contains(page, verdict) {
		t.Error(err, page)
	}
	problem := Code(0)
	if report.Problem != nil {
		problem = report.Problem.Code
	}
	if problem != c.Expect.Problem {
		t.Error(report.Problem)
	}
	signers, levels := []string{}, []string{}
	for _, one := range report.Signatures {
		signers, levels = append(signers, one.Signer), append(levels, one.Level)
	}
	if c.Expect.Signers != nil && !reflect.DeepEqual(signers, c.Expect.Signers) {
		t.Error(signers)
	}
	if c.Expect.Levels != nil && !reflect.DeepEqual(levels, c.Expect.Levels) {
		t.Error(levels)
	}
}

func TestABundleIsMadeAndVerified(t *testing.T) {
	original := File(filepath.Join(data, "loan.pdf"))
	signed, err := os.ReadFile(filepath.Join(data, "signed.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	roots := []Document{File(filepath.Join(data, "roots.pem"))}
	at := [2]string{"at", "1795179600"}
	to := filepath.Join(t.TempDir(), "loan.asice")
	evidence := Evidence{Signed: Bytes(signed, ""), Original: &original, Items: roots, Trust: roots}
	evidence.Options = [][2]string{at, {"identity", `{"given_name": "Kari"}`}}
	made, err := Bundle(evidence, to)
	if err != nil || !made.OK {
		t.Fatal(made, err)
	}
	report, err := Verify([]Document{File(to)}, Question{Trust: roots, Options: [][2]string{at}})
	if err != nil || !report.OK || report.Status("signer") != "passed" {
		t.Fatal(report, err)
	}
	var failure *Error
	if _, err = Bundle(evidence, to); !errors.As(err, &failure) || failure.Code != CodeDestinationExists {
		t.Error(err)
	}
}
