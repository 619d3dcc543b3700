package signdoc

/*
#include <stdlib.h>
#include <signdoc.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"strings"
	"unsafe"
)

// LoginOptions are the settings of BeginLogin; the zero value is fine.
type LoginOptions struct {
	// UILocales are languages of the provider's pages, best first.
	UILocales []string
	// Scopes besides openid and sign, for more claims.
	Scopes []string
	// ResponseMode is "query" (the provider's default), "form_post" or "fragment".
	ResponseMode string
	CallOptions
}

// Login is a login that has begun.
type Login struct {
	// URL is where to send the end user.
	URL    string
	SignID string
	// Token finishes the login, also in another process, host or language: safe in a cookie.
	Token string
}

// Identity is who signed, as the identity provider vouches for it.
type Identity struct {
	SignID  string
	Subject string
	// Claims are those of the verified ID token: personal data.
	Claims map[string]any
}

// BeginLogin gives the address to send the end user to, who signs the order there and comes back to
// redirectURI.
func (c *Client) BeginLogin(ctx context.Context, order *Order, redirectURI string, options LoginOptions) (*Login, error) {
	var keep keeper
	defer keep.free()
	redirect := C.CString(redirectURI)
	keep.later(func() { C.free(unsafe.Pointer(redirect)) })
	locales := keep.text(strings.Join(options.UILocales, " "))
	scopes := keep.text(strings.Join(options.Scopes, " "))
	mode := keep.text(options.ResponseMode)
	var found *C.signdoc_login
	err := c.about(ctx, order, options.CallOptions, func(known *C.signdoc_order, view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_login_begin(c.handle, known, redirect, locales, scopes, mode, options.timeoutMS(), view, &found, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_login_free(found)
	return &Login{
		URL:    C.GoString(C.signdoc_login_url(found)),
		SignID: C.GoString(C.signdoc_login_sign_id(found)),
		Token:  C.GoString(C.signdoc_login_token(found)),
	}, nil
}

// FinishLogin takes what came back on the redirect (the whole address, or the form it posted),
// exchanges its code and verifies the ID token. Once the token is opened, Details["sign_id"] of
// every error names the order: what the user signed can still be downloaded.
func (c *Client) FinishLogin(ctx context.Context, token, callback string, options CallOptions) (*Identity, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if c.handle == nil {
		return nil, closed()
	}
	given, back := C.CString(token), C.CString(callback)
	defer C.free(unsafe.Pointer(given))
	defer C.free(unsafe.Pointer(back))
	var found *C.signdoc_identity
	err := call(ctx, options, &caught{}, func(view *C.signdoc_call, failure **C.signdoc_error) C.int32_t {
		return C.signdoc_login_finish(c.handle, given, back, options.timeoutMS(), view, &found, failure)
	})
	if err != nil {
		return nil, err
	}
	defer C.signdoc_identity_free(found)
	made := &Identity{
		SignID:  C.GoString(C.signdoc_identity_sign_id(found)),
		Subject: C.GoString(C.signdoc_identity_subject(found)),
	}
	err = json.Unmarshal([]byte(C.GoString(C.signdoc_identity_claims_json(found))), &made.Claims)
	return made, err
}
