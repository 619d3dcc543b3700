package signdoc

/*
#include <stdlib.h>
#include <signdoc.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"unsafe"
)

// CSCRequest says how hashes and PDFs are signed through the credential-based interface (CSC); the
// zero value is fine: SHA-256, the user's first credential, invisible signatures.
type CSCRequest struct {
	// Lang is the language of the login pages: "nb", "nn" or "en".
	Lang string
	// Description is what the user is asked to agree to, at most 500 characters.
	Description string
	// HashAlgorithm is "sha256", "sha384" or "sha512".
	HashAlgorithm string
	CredentialID  string
	// Padding is how an RSA key signs: "pkcs1" or "pss".
	Padding string

	// For PDFs: whether files are replaced, an empty signature field to fill, and what the
	// signature says; Signer empty: the certificate's name.
	Overwrite                                        bool
	FieldName, Reason, Location, ContactInfo, Signer string
	// Seal is where a visible seal stands; nil: none. SealWidth and SealHeight 0: the usual size.
	Seal                  *Seal
	SealWidth, SealHeight float64

	// Timeout is the time each step may take.
	CallOptions
}

// CSCSession is a signing session: one login, one authorization, up to 50 signatures. A step out of
// order, or a second use, fails before anything is sent, with CodeCscTokenAlreadyUsed. It may be
// used by any number of goroutines, and must be closed before its client.
type CSCSession struct {
	client *Client
	// Calls hold it for reading, Close for writing.
	lock   sync.RWMutex
	handle *C.signdoc_csc_session
}

// SignedPDF is a PDF that was signed.
type SignedPDF struct {
	Index int
	// Data is the signed PDF where it stays in memory.
	Data []byte
	// Path is where it was written.
	Path string
	Size uint64
	// FieldName is the signature field's.
	FieldName string `json:"field_name"`
	// Level is the PAdES baseline level: "B-B", "B-T" or "B-LT".
	Level string
	// Notes say why it is not higher.
	Notes []string
}

// CSCInfo is what the interface says of itself, as JSON (CSC API v2, info).
func (c *Client) CSCInfo(ctx context.Context, options CallOptions) (json.RawMessage, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	return toldJSON(ctx, options, func(view *C.signdoc_call, out *C.signdoc_buffer, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_csc_info_json(c.handle, options.timeoutMS(), view, out, failure)
	})
}

// BeginCSC gives the address to send the end user to, and sends nothing. Lang and Description of
// the request are used. The login has no SignID.
func (c *Client) BeginCSC(redirectURI string, request CSCRequest) (*Login, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	var keep keeper
	defer keep.free()
	asked, err := keep.cscRequest(request)
	if err != nil {
		return nil, err
	}
	redirect := C.CString(redirectURI)
	keep.later(func() { C.free(unsafe.Pointer(redirect)) })
	var found *C.signdoc_login
	var failure *C.signdoc_error
	code := C.signdoc_csc_begin(c.handle, redirect, asked, &found, &failure)
	if err := taken(code, failure); err != nil {
		return nil, err
	}
	defer C.signdoc_login_free(found)
	return &Login{
		URL:   C.GoString(C.signdoc_login_url(found)),
		Token: C.GoString(C.signdoc_login_token(found)),
	}, nil
}

// FinishCSC takes what came back on the redirect (the whole address, or the form it posted) and
// exchanges its code for a session.
func (c *Client) FinishCSC(ctx context.Context, token, callback string, options CallOptions) (*CSCSession, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	given, back := C.CString(token), C.CString(callback)
	defer C.free(unsafe.Pointer(given))
	defer C.free(unsafe.Pointer(back))
	made := &CSCSession{client: c}
	err := call(ctx, options, &caught{}, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_csc_finish(c.handle, given, back, options.timeoutMS(), view, &made.handle, failure)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// Close forgets the session's token. It may be called more than once.
func (s *CSCSession) Close() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	C.signdoc_csc_session_free(s.handle)
	s.handle = nil
	return nil
}

// used keeps session and client open until the function it gives is called.
func (s *CSCSession) used() (done func(), err error) {
	s.lock.RLock()
	s.client.lock.RLock()
	done = func() {
		s.client.lock.RUnlock()
		s.lock.RUnlock()
	}
	if s.handle == nil || s.client.handle == nil {
		done()
		return nil, closed()
	}
	return done, nil
}

// Credentials are the user's, as a JSON array (CSC API v2, credentials/list): asked for once, then
// remembered.
func (s *CSCSession) Credentials(ctx context.Context, options CallOptions) (json.RawMessage, error) {
	done, err := s.used()
	if err != nil {
		return nil, err
	}
	defer done()
	return toldJSON(ctx, options, func(view *C.signdoc_call, out *C.signdoc_buffer, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_csc_credentials_json(s.client.handle, s.handle, options.timeoutMS(), view, out, failure)
	})
}

// CredentialInfo is one of the user's credentials as JSON, looked at anew, after the list and before
// anything is signed. Nothing calls it by itself.
func (s *CSCSession) CredentialInfo(ctx context.Context, credentialID string, options CallOptions) (json.RawMessage, error) {
	done, err := s.used()
	if err != nil {
		return nil, err
	}
	defer done()
	id := C.CString(credentialID)
	defer C.free(unsafe.Pointer(id))
	return toldJSON(ctx, options, func(view *C.signdoc_call, out *C.signdoc_buffer, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_csc_credential_info_json(s.client.handle, s.handle, id, options.timeoutMS(), view, out, failure)
	})
}

// SignHashes signs 1 to 50 digests, all of the same length: list, authorize, signHash, and the check
// of each signature. Values of ECDSA keys are as the service wrote them.
func (s *CSCSession) SignHashes(ctx context.Context, hashes [][]byte, request CSCRequest) ([][]byte, error) {
	joined, length, err := join(hashes)
	if err != nil {
		return nil, err
	}
	done, err := s.used()
	if err != nil {
		return nil, err
	}
	defer done()
	var keep keeper
	defer keep.free()
	asked, err := keep.cscRequest(request)
	if err != nil {
		return nil, err
	}
	bytes := (*C.uint8_t)(C.CBytes(joined))
	defer C.free(unsafe.Pointer(bytes))
	var made *C.signdoc_csc_signed
	err = call(ctx, request.CallOptions, &caught{}, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_csc_sign_hashes(s.client.handle, s.handle, bytes, C.size_t(len(hashes)), length, asked, request.timeoutMS(), view, &made, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_csc_signed_free(made)
	values := [][]byte{}
	for i := C.size_t(0); i < C.signdoc_csc_signed_count(made); i++ {
		values = append(values, bytesOf(C.signdoc_csc_signed_data(made, i)))
	}
	return values, nil
}

// join puts digests one behind the other, as C takes them.
func join(hashes [][]byte) ([]byte, C.size_t, error) {
	// Of none, any length will do.
	length := 32
	joined := []byte{}
	for at, hash := range hashes {
		if at == 0 {
			length = len(hash)
		}
		if len(hash) != length {
			field := fmt.Sprintf("hashes[%d]", at)
			return nil, 0, own(CodeCscInvalidParameters,
				fmt.Sprintf("%s has %d bytes, but hashes[0] has %d; sign digests of one length at a time", field, len(hash), length),
				map[string]any{"field": field, "actual": float64(len(hash)), "limit": float64(length)})
		}
		joined = append(joined, hash...)
	}
	return joined, C.size_t(length), nil
}

// SignPDFs signs 1 to 50 PDFs into the folder to, or in memory where it is empty. Documents and
// destinations are checked before the session's token is used, and each signature before it is
// embedded; the bytes of a document stay an untouched prefix of the signed one.
func (s *CSCSession) SignPDFs(ctx context.Context, documents []Document, to string, request CSCRequest) ([]SignedPDF, error) {
	done, err := s.used()
	if err != nil {
		return nil, err
	}
	defer done()
	return s.client.signPDFs(ctx, s.handle, documents, to, request)
}

// CheckPDFs looks documents and destinations over as SignPDFs would, which should be done before a
// user is sent to log in.
func (c *Client) CheckPDFs(ctx context.Context, documents []Document, to string, request CSCRequest) error {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return closed()
	}
	_, err := c.signPDFs(ctx, nil, documents, to, request)
	return err
}

func (c *Client) signPDFs(ctx context.Context, session *C.signdoc_csc_session, documents []Document, to string, request CSCRequest) ([]SignedPDF, error) {
	var keep keeper
	defer keep.free()
	trouble := &caught{}
	given, err := keep.documents(documents, trouble)
	if err != nil {
		return nil, err
	}
	asked, err := keep.cscRequest(request)
	if err != nil {
		return nil, err
	}
	folder := keep.text(to)
	var made *C.signdoc_csc_signed
	err = call(ctx, request.CallOptions, trouble, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_csc_sign_pdfs(c.handle, session, given, folder, asked, request.timeoutMS(), view, &made, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_csc_signed_free(made)
	var pdfs []SignedPDF
	if err := json.Unmarshal([]byte(C.GoString(C.signdoc_csc_signed_json(made))), &pdfs); err != nil {
		return nil, err
	}
	for i := range pdfs {
		pdfs[i].Data = bytesOf(C.signdoc_csc_signed_data(made, C.size_t(i)))
	}
	return pdfs, nil
}

// bytesOf copies bytes of C's; nil where there are none.
func bytesOf(view C.signdoc_view) []byte {
	if view.ptr == nil {
		return nil
	}
	return append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(view.ptr)), int(view.len))...)
}

func toldJSON(ctx context.Context, options CallOptions,
	work func(view *C.signdoc_call, out *C.signdoc_buffer, failure **C.signdoc_error) C.int32_t) (json.RawMessage, error) {
	var told C.signdoc_buffer
	err := call(ctx, options, &caught{}, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return work(view, &told, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_buffer_free(&told)
	return json.RawMessage(textOf(&told)), nil
}

func (k *keeper) cscRequest(request CSCRequest) (*C.signdoc_csc_request, error) {
	made := C.signdoc_csc_request_new()
	k.later(func() { C.signdoc_csc_request_free(made) })
	var failure *C.signdoc_error
	for key, value := range map[string]string{
		"lang": request.Lang, "description": request.Description,
		"hash_algorithm": request.HashAlgorithm, "credential_id": request.CredentialID,
		"padding": request.Padding, "overwrite": strconv.FormatBool(request.Overwrite),
		"field_name": request.FieldName, "reason": request.Reason, "location": request.Location,
		"contact_info": request.ContactInfo, "name": request.Signer,
	} {
		if value == "" {
			continue
		}
		code := C.signdoc_csc_request_set(made, k.text(key), k.text(value), &failure)
		if err := taken(code, failure); err != nil {
			return nil, err
		}
	}
	if request.Seal == nil {
		return made, nil
	}
	x, y, page := C.double(request.Seal.X), C.double(request.Seal.Y), C.uint32_t(request.Seal.Page)
	code := C.signdoc_csc_request_set_seal(made, x, y, page, C.double(request.SealWidth), C.double(request.SealHeight), &failure)
	return made, taken(code, failure)
}
