extension Example {
  static let key: [Example] = [
    Example(
      command: "tessera key", sentence: "Generate a key, sign a file, and verify the signature:",
      line: """
        tessera key generate release --passphrase-fd 3 3< pass.txt
        tessera key sign release tessera.tar -o tessera.tar.sig --passphrase-fd 3 3< pass.txt
        tessera key verify release tessera.tar.sig tessera.tar
        """, output: "The signature is valid", preparation: "echo correct-horse > pass.txt; echo data > tessera.tar"),
    Example(
      command: "tessera key generate",
      sentence: "Generate a key. The desktop's keyring protects it, or a passphrase for which the command prompts:",
      line: "tessera key generate release", needs: "a keyring or a terminal"),
    Example(
      command: "tessera key generate", sentence: "Take the passphrase from a file:",
      line: "tessera key generate release --passphrase-fd 3 3< pass.txt", output: "release: P-256 key",
      preparation: "echo correct-horse > pass.txt"),
    Example(
      command: "tessera key generate", sentence: "Generate it in the TPM:",
      line: "tessera key generate release --store tpm2", needs: "a TPM 2.0"),
    Example(
      command: "tessera key generate", sentence: "Generate it in a token:",
      line: #"tessera key generate release --store "pkcs11:token=work""#, needs: "a PKCS#11 token"),
    Example(
      command: "tessera key list", sentence: "List the keys for a program:",
      line: "tessera key list --store file --json",
      output: #""release""#, preparation: generated),
    Example(
      command: "tessera key public", sentence: "Print the public key for OpenSSL:",
      line: "tessera key public release > release.pem", preparation: generated, files: ["release.pem"]),
    Example(
      command: "tessera key public", sentence: "Print it as a JWK:",
      line: "tessera key public release --format jwk", output: #""P-256""#, preparation: generated),
    Example(
      command: "tessera key sign", sentence: "Sign a file, and verify the signature with OpenSSL:",
      line: """
        tessera key sign release tessera.tar -o tessera.tar.sig
        tessera key public release > release.pem
        openssl dgst -sha256 -verify release.pem -signature tessera.tar.sig tessera.tar
        """, output: "Verified OK", preparation: generated),
    Example(
      command: "tessera key verify", sentence: "Verify a signature with a public key:",
      line: "tessera key verify --public release.pem tessera.tar.sig tessera.tar", output: "The signature is valid",
      preparation: signed),
    Example(
      command: "tessera key verify", sentence: "A file that was changed has another signature:",
      line: "tessera key verify --public release.pem tessera.tar.sig changed.tar", status: 5, output: "signature",
      preparation: changed),
    Example(
      command: "tessera key confirm", sentence: "Ask the user each time a page signs with its key:",
      line: "tessera key confirm login always --origin https://wallet.example"),
    Example(
      command: "tessera key delete", sentence: "Delete a key without a question:",
      line: "tessera key delete release --yes", preparation: generated),
    Example(
      command: "tessera key import", sentence: "Import a key of OpenSSL, without encryption:",
      line: """
        openssl ecparam -name prime256v1 -genkey -noout -out key.pem
        tessera key import release key.pem --unprotected
        """, output: "release: P-256 key"),
    Example(
      command: "tessera key export", sentence: "Export a key with a new passphrase:",
      line: "tessera key export release -o key.pem --new-passphrase-fd 3 3< pass.txt",
      output: "This is the private key",
      preparation: exported, files: ["key.pem"]),
    Example(
      command: "tessera key request", sentence: "Create a certificate signing request:",
      line: #"tessera key request release --subject "CN=Ann,O=Example""#, output: "BEGIN CERTIFICATE REQUEST",
      preparation: generated),
  ]

  private static let generated = """
    tessera key generate release --unprotected > generate.txt
    echo data > tessera.tar
    """

  private static let signed = """
    \(generated)
    tessera key public release > release.pem
    tessera key sign release tessera.tar -o tessera.tar.sig
    """

  private static let changed = signed + "\necho changed > changed.tar"
  private static let exported = generated + "\necho correct-horse > pass.txt"
}
