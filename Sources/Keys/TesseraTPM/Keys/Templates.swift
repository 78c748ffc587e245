internal import CTesseraTSS2

/// The public areas (templates) of new keys.
enum Templates {
  /// The storage primary of draft-bottomley-tpm2-keys for a parent that is a hierarchy: the TCG's template of an ECC
  /// P-256 storage key (TCG TPM v2.0 Provisioning Guidance) with an empty `unique`. A primary is derived from the
  /// seed of the TPM and this template, so all programs with this template get the same key.
  static var storagePrimary: TPM2B_PUBLIC {
    var template = p256(
      TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH
        | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT)
    template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES
    template.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
    template.publicArea.parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB
    return template
  }

  /// - Parameter hasPIN: a key without PIN is exempt from the lockout (`NODA`), which wrong PINs of other keys can
  ///   cause.
  static func signingKey(hasPIN: Bool) -> TPM2B_PUBLIC {
    p256(
      TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH
        | TPMA_OBJECT_SIGN_ENCRYPT | (hasPIN ? 0 : TPMA_OBJECT_NODA))
  }

  private static func p256(_ attributes: TPMA_OBJECT) -> TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = TPM2_ALG_ECC
    template.publicArea.nameAlg = TPM2_ALG_SHA256
    template.publicArea.objectAttributes = attributes
    template.publicArea.parameters.eccDetail.curveID = TPM2_ECC_NIST_P256
    template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_NULL
    template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL
    template.publicArea.parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL
    return template
  }
}
