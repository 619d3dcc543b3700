package signdoc

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cscCase is one of tests/vectors/csc.json, whose README explains the keys.
type cscCase struct {
	setting
	Action, Callback string
	Finish           int
	cscStep
	Then *cscStep
}

type cscStep struct {
	Advance int
	Sign    *struct {
		Count         int
		Length        int
		HashAlgorithm string `json:"hash_algorithm"`
		CredentialID  string `json:"credential_id"`
		Padding       string
		Description   string
	}
	Expect struct {
		Error      map[string]any
		Details    map[string]any
		Message    []string
		Signatures int
		Reference  *bool
		Requests   map[string]int
	}
}

func (s *sandbox) cscClient(more Options) *Client {
	s.t.Helper()
	options := Options{"max_retries": "0", "csc_url": s.settings["csc_url"]}
	for key, value := range more {
		options[key] = value
	}
	return s.client(options)
}

func TestCSCVectors(t *testing.T) {
	eachCase(t, "csc", func(t *testing.T, server *sandbox, one cscCase) {
		one.run(t, server, server.cscClient(one.Options))
	})
}

func (c *cscCase) run(t *testing.T, server *sandbox, client *Client) {
	session, err := c.session(server, client)
	if session != nil {
		defer session.Close()
	}
	signatures := [][]byte{}
	if err == nil {
		signatures, err = c.cscStep.take(server, session)
	}
	c.cscStep.check(t, server, signatures, err)
	if c.Then != nil {
		signatures, err = c.Then.take(server, session)
		c.Then.check(t, server, signatures, err)
	}
}

func (c *cscCase) session(server *sandbox, client *Client) (*CSCSession, error) {
	login, err := client.BeginCSC(back, CSCRequest{})
	if err != nil {
		return nil, err
	}
	action := c.Action
	if action == "" {
		action = "sign"
	}
	callback := cameBack(server.visit(login.URL, action), c.Callback)
	for i := 1; i < c.Finish; i++ {
		session, err := client.FinishCSC(context.Background(), login.Token, callback, CallOptions{})
		if err != nil {
			return nil, err
		}
		session.Close()
	}
	return client.FinishCSC(context.Background(), login.Token, callback, CallOptions{})
}

// take moves the clock, and signs where something is to be signed.
func (s *cscStep) take(server *sandbox, session *CSCSession) ([][]byte, error) {
	if s.Advance > 0 {
		server.control("POST", "/_sandbox/clock", map[string]int{"advance_seconds": s.Advance})
	}
	if s.Sign == nil {
		return nil, nil
	}
	length := s.Sign.Length
	if length == 0 {
		length = map[string]int{"sha384": 48, "sha512": 64}[s.Sign.HashAlgorithm]
	}
	if length == 0 {
		length = 32
	}
	hashes := [][]byte{}
	for i := 0; i < s.Sign.Count; i++ {
		hashes = append(hashes, bytes.Repeat([]byte{byte(i + 1)}, length))
	}
	return session.SignHashes(context.Background(), hashes, CSCRequest{
		HashAlgorithm: s.Sign.HashAlgorithm, CredentialID: s.Sign.CredentialID,
		Padding: s.Sign.Padding, Description: s.Sign.Description,
	})
}

func (s *cscStep) check(t *testing.T, server *sandbox, signatures [][]byte, err error) {
	t.Helper()
	if len(signatures) != s.Expect.Signatures {
		t.Errorf("%d signatures", len(signatures))
	}
	for _, one := range signatures {
		if len(one) < 64 {
			t.Error(one)
		}
	}
	if err != nil {
		told := checkTold(t, err, s.Expect.Error, s.Expect.Details, s.Expect.Message)
		if s.Expect.Reference != nil && *s.Expect.Reference != (told.Reference != "") {
			t.Error(told.Reference)
		}
	} else if s.Expect.Error != nil {
		t.Error("no error came")
	}
	if s.Expect.Requests == nil {
		return
	}
	counts := server.requests()
	for request, wanted := range s.Expect.Requests {
		if counts[request] != wanted {
			t.Errorf("%d times %s", counts[request], request)
		}
	}
	for request := range counts {
		path := strings.TrimPrefix(request, "POST /csc/v2/")
		_, named := s.Expect.Requests[request]
		if !named && (strings.HasPrefix(path, "credentials/") || strings.HasPrefix(path, "signatures/")) {
			t.Errorf("%d times %s, which is not expected", counts[request], request)
		}
	}
}

func TestPDFsAreSignedInASession(t *testing.T) {
	server := sandboxOf(t, "production")
	client := server.cscClient(nil)
	ctx := context.Background()
	path := filepath.Join(os.Getenv("SAMPLES"), "loan-agreement.pdf")
	loan, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := client.CSCInfo(ctx, CallOptions{})
	if err != nil || !strings.Contains(string(info), "credentials/list") {
		t.Fatal(string(info), err)
	}
	folder := t.TempDir()
	request := CSCRequest{Reason: "Loan", Seal: &Seal{X: 72, Y: 700, Page: 1}}
	documents := []Document{File(path), Bytes(loan, "again")}
	if err := client.CheckPDFs(ctx, documents, folder, request); err != nil {
		t.Fatal(err)
	}
	nowhere := CSCRequest{Seal: &Seal{Page: 99}}
	failure(t, client.CheckPDFs(ctx, documents, folder, nowhere), CodeSealPage)
	_, err = client.BeginCSC(back, CSCRequest{HashAlgorithm: "md5"})
	failure(t, err, CodeCscInvalidHashAlgorithm)

	session, err := (&cscCase{}).session(server, client)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	credentials, err := session.Credentials(ctx, CallOptions{})
	var listed []struct {
		ID string `json:"credentialID"`
	}
	if err != nil || json.Unmarshal(credentials, &listed) != nil || len(listed) == 0 {
		t.Fatal(string(credentials), err)
	}
	one, err := session.CredentialInfo(ctx, listed[0].ID, CallOptions{})
	if err != nil || !strings.Contains(string(one), `"cert"`) {
		t.Error(string(one), err)
	}
	_, err = session.SignHashes(ctx, [][]byte{make([]byte, 32), make([]byte, 48)}, CSCRequest{})
	told := failure(t, err, CodeCscInvalidParameters)
	if told.Details["field"] != "hashes[1]" || told.Name != "invalid_parameters" || told.Constant != "SIGNDOC_E_CSC_INVALID_PARAMETERS" ||
		told.Category != "Request Validation" || told.Advice == "" || told.Retryable || told.Origin != "local" {
		t.Errorf("%+v", told)
	}
	made, err := session.SignPDFs(ctx, documents, folder, request)
	if err != nil || len(made) != 2 {
		t.Fatal(made, err)
	}
	for i, name := range []string{"loan-agreement.pdf", "again.pdf"} {
		signed, err := os.ReadFile(made[i].Path)
		if err != nil || !bytes.HasPrefix(signed, loan) || uint64(len(signed)) != made[i].Size {
			t.Error(made[i].Path, err)
		}
		if filepath.Base(made[i].Path) != name || made[i].Data != nil || made[i].Index != i || !strings.HasPrefix(made[i].Level, "B-") || made[i].FieldName == "" {
			t.Errorf("%+v", made[i])
		}
	}
	_, err = session.SignPDFs(ctx, documents, "", request)
	failure(t, err, CodeCscTokenAlreadyUsed)

	again, err := (&cscCase{}).session(server, client)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	_, err = again.SignPDFs(ctx, documents, folder, request)
	failure(t, err, CodeDestinationExists)
	kept, err := again.SignPDFs(ctx, documents[:1], "", CSCRequest{})
	if err != nil || len(kept) != 1 || !bytes.HasPrefix(kept[0].Data, loan) || kept[0].Path != "" {
		t.Fatal(kept, err)
	}
	again.Close()
	_, err = again.Credentials(ctx, CallOptions{})
	failure(t, err, CodeClientClosed)
}
