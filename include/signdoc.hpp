/* libsigndoc for C++: what owns something frees it, and what fails throws.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Header only, C++11 and later, over the C interface, whose comments (signdoc.h) say more; error
 * numbers are its SIGNDOC_E_... constants. Handles can be moved, not copied.
 *
 * Functions of the caller's (readers, writers, progress, log) run on the thread that makes the
 * call. What they throw ends the call and comes out of it.
 */
#ifndef SIGNDOC_HPP
#define SIGNDOC_HPP

#include <signdoc_client.hpp>
#include <signdoc_csc.hpp>
#include <signdoc_orders.hpp>
#include <signdoc_extend.hpp>
#include <signdoc_verify.hpp>

#endif
