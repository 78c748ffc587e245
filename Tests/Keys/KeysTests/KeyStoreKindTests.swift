import TestSupport
import Testing

@testable import TesseraKeys

@Suite("Kinds of key stores")
struct KeyStoreKindTests {
  @Test("help and errors name the kinds in the same words")
  func words() {
    #expect(KeyStores.choices == "file, tpm2 or a pkcs11: URI (RFC 7512)")
    #expect(KeyStores.named(.listing) == "the stores \"file\" and \"tpm2\"")
    #expect(KeyStores.named(.exchange) == "the store \"file\"")
    #expect(KeyStores.help.hasPrefix("The store \"file\" encrypts the key with a secret from"))
    #expect(Failure(KeyStoreError.badStore("x.")).remedy == "Use file, tpm2 or a pkcs11: URI (RFC 7512).")
    #expect(
      Failure(KeyStoreError.notExportable(store: "tpm2"))
        == Failure(
          .keyNotExportable, "Private keys in the store \"tpm2\" are not exportable.",
          remedy: "Export keys of the store \"file\" only."))
    #expect(
      Failure(KeyStoreError.notImportable(store: "pkcs11:token=a"))
        == Failure(
          .keyNotExportable, "Keys cannot be imported into the token.",
          remedy: "Import the key into the store \"file\", or generate a new key."))
  }

  @Test("what the file system says of a TPM: nothing of one that is no device")
  func obstacle() {
    #expect(
      TPMKeyStore.obstacle(interface: "device:/proc/nonexistent/tpm")
        == .unavailable(.noDevice(path: "/proc/nonexistent/tpm")))
    #expect(TPMKeyStore.obstacle(interface: "swtpm:host=127.0.0.1,port=1") == nil)
    #expect(KeyStores.obstacle("file") == nil && KeyStores.obstacle("pkcs11:token=a") == nil)
  }

  @Test("a designation belongs to one kind, or opens nothing")
  func designations() throws {
    let folder = try TemporaryFolder()
    for (designation, opened) in [
      (" file\n", "file"), ("tpm2", "tpm2"), ("pkcs11:token=a?pin-source=/p", "pkcs11:token=a"),
      (" PKCS11:token=A;object=B", "pkcs11:token=A;object=B"),
    ] {
      let store = try KeyStores.store(
        designation, newKeys: .passphrase, secrets: NonInteractive(), path: folder.url.path)
      #expect(store.designation == opened)
    }
    for designation in ["", "File", "files", "pkcs11", "tpm2:", "FILE:", ":", "P\u{212A}CS11:token=a"] {
      #expect(throws: KeyStoreError.badStore("The kind of key store is unknown.")) {
        try KeyStores.store(designation, newKeys: .passphrase, secrets: NonInteractive(), path: folder.url.path)
      }
    }
  }

  @Test("an error of a secret says what a program passes, or what the user does who has entered nothing")
  func secrets() {
    for prompt in [SecretPrompt.passphrase(key: "k"), .newPassphrase(key: "k"), .pin(token: "t"), .newPIN(key: "k")] {
      #expect(Failure(KeyStoreError.secretNeeded(prompt)).remedy?.contains("(secrets:)") == true, "\(prompt)")
      #expect(Failure(KeyStoreError.secretRefused(prompt)).remedy?.hasPrefix("Try again, and enter the ") == true)
    }
    #expect(Failure(KeyStoreError.secretNeeded(.importPassphrase)).remedy?.contains("ImportedKey.read") == true)
  }

  @Test("a kind says what its stores can do")
  func abilities() throws {
    let folder = try TemporaryFolder()
    #expect(KeyStores.ownStores == ["file", "tpm2"] && KeyStores.standard == "file")
    for designation in ["file", "tpm2", "pkcs11:token=a"] {
      let store = try KeyStores.store(
        designation, newKeys: .passphrase, secrets: NonInteractive(), path: folder.url.path)
      #expect(KeyStores.can(.exchange, designation) == (store is any PortableKeyStore), "\(designation)")
      #expect(KeyStores.can(.unprotectedKeys, designation) == (designation == "file"))
      #expect(KeyStores.can(.sharedPIN, designation) == designation.hasPrefix("pkcs11:"))
    }
    #expect(KeyStores.can(.sharedPIN, "Pkcs11:token=a"), "a scheme is in any case")
    #expect(!KeyStores.can(.listing, "card"))
  }
}
