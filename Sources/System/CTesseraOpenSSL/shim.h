#ifndef TESSERA_COPENSSL_H
#define TESSERA_COPENSSL_H

// Single DES is needed as the inner step of the retail MAC (ISO/IEC 9797-1 algorithm 3). Its EVP form lives in
// the "legacy" provider, a plug-in that may be missing at run time; the low-level functions are always in
// libcrypto but are marked deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/des.h>
#include <openssl/dh.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros that Swift cannot import.
static const unsigned long tessera_xn_flag_rfc2253 = XN_FLAG_RFC2253;
static const int tessera_evp_pkey_public_key = EVP_PKEY_PUBLIC_KEY;
static const int tessera_evp_pkey_keypair = EVP_PKEY_KEYPAIR;
static inline void tessera_openssl_free(void *pointer) { OPENSSL_free(pointer); }
static inline void tessera_openssl_secure_free(void *pointer, size_t count) {
  OPENSSL_secure_clear_free(pointer, count);
}
static inline long tessera_bio_contents(BIO *bio, char **contents) { return BIO_get_mem_data(bio, contents); }

// Names of parameters. An OSSL_PARAM keeps the pointer, and the bytes of a Swift string are valid during one call only.
static const char *const tessera_param_group_name = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const tessera_param_public_key = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const tessera_param_private_key = OSSL_PKEY_PARAM_PRIV_KEY;
static const char *const tessera_param_rsa_n = OSSL_PKEY_PARAM_RSA_N;
static const char *const tessera_param_rsa_e = OSSL_PKEY_PARAM_RSA_E;
static const char *const tessera_param_p = OSSL_PKEY_PARAM_FFC_P;
static const char *const tessera_param_g = OSSL_PKEY_PARAM_FFC_G;
static const char *const tessera_param_digest = OSSL_KDF_PARAM_DIGEST;
static const char *const tessera_param_key = OSSL_KDF_PARAM_KEY;
static const char *const tessera_param_salt = OSSL_KDF_PARAM_SALT;
static const char *const tessera_param_info = OSSL_KDF_PARAM_INFO;
static const char *const tessera_mac_param_cipher = OSSL_MAC_PARAM_CIPHER;
// OSSL_SIGNATURE_PARAM_NONCE_TYPE of OpenSSL 3.2, which older headers do not have.
static const char *const tessera_param_nonce_type = "nonce-type";

#endif
