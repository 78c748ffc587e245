import TesseraCore
import TesseraCryptography
import TesseraTPM
import TestSupport
import Testing

extension RealPrograms {
  @Suite(
    "PINs of keys in a TPM", .serialized, .timeLimit(.minutes(15)),
    .enabled(if: TPMLab.isEnabled, "\(TPMLab.unavailableReason ?? "")"))
  struct PINTests {
    /// The number of wrong PINs before the lockout, by default of swtpm.
    static let tries = 3

    @Test("signs with the right PIN, counts wrong ones, locks the TPM, and unlocks after a reset of the counter")
    func lockout() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab)
      let key = try await tpm.createSigningKey(pin: "correct")
      let open = try await tpm.createSigningKey(pin: nil)
      #expect(key.needsPIN)
      #expect(try await tpm.signsCorrectly(with: key, pin: "correct"))
      for _ in 0..<Self.tries {
        await #expect(throws: TPMError.wrongPIN) { _ = try await tpm.signsCorrectly(with: key, pin: "incorrect") }
      }
      for pin in ["correct", "incorrect"] {
        await #expect(throws: TPMError.lockedOut) { _ = try await tpm.signsCorrectly(with: key, pin: pin) }
      }
      #expect(try await tpm.signsCorrectly(with: open), "a key without a PIN is not locked")
      await tpm.release()
      #expect(try await lab.leftovers() == [])
      #expect(try await lab.run("tpm2_dictionarylockout", ["--clear-lockout"]).status == 0)
      #expect(try await tpm.signsCorrectly(with: key, pin: "correct"))
    }

    @Test("leaves nothing loaded after an error, since most programs end then; the right PIN signs afterwards")
    func wrongThenRight() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab)
      let key = try await tpm.createSigningKey(pin: "correct")
      for _ in 0..<20 {
        await #expect(throws: TPMError.wrongPIN) { _ = try await tpm.signsCorrectly(with: key, pin: "wrong") }
        #expect(try await lab.leftovers() == [])
        #expect(try await lab.run("tpm2_dictionarylockout", ["--clear-lockout"]).status == 0)
      }
      #expect(try await tpm.signsCorrectly(with: key, pin: "correct"))
    }

    @Test("rejects a missing, an empty and a too long PIN without the TPM")
    func refusedPINs() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab)
      let key = try await tpm.createSigningKey(pin: "correct")
      await #expect(throws: TPMError.pinNeeded) { _ = try await tpm.signsCorrectly(with: key) }
      lab.stop()
      for empty in ["", "\0", "\0\0\0"] {
        await #expect(throws: TPMError.emptyPIN) { _ = try await tpm.createSigningKey(pin: empty) }
        await #expect(throws: TPMError.emptyPIN) { _ = try await tpm.signsCorrectly(with: key, pin: empty) }
      }
      let long = String(repeating: "1", count: 33)
      await #expect(throws: TPMError.pinTooLong(limit: 32)) { _ = try await tpm.createSigningKey(pin: long) }
      await #expect(throws: TPMError.pinTooLong(limit: 32)) { _ = try await tpm.signsCorrectly(with: key, pin: long) }
    }

    @Test(
      "accepts unusual PINs",
      arguments: ["1", String(repeating: "9", count: 32), "zeros at the end\0\0", "\0zero first", "šťäß☂"])
    func unusualPINs(pin: String) async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab)
      let key = try await tpm.createSigningKey(pin: pin)
      #expect(try await tpm.signsCorrectly(with: key, pin: pin))
      await #expect(throws: TPMError.wrongPIN) {
        _ = try await tpm.signsCorrectly(with: key, pin: pin.dropLast(1) + "x")
      }
    }

    @Test("reports a missing PIN for a key whose file denies that it has one")
    func hiddenPIN() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab)
      let key = try await tpm.createSigningKey(pin: "correct")
      // SEQUENCE, its length, the type, and [0] { BOOLEAN }.
      let offset = 3 + 8 + 4
      #expect(key.der[offset] == 0)
      var der = key.der
      der[offset] = 0xFF
      let changed = try TPMKey(der: der)
      #expect(!changed.needsPIN)
      await #expect(throws: TPMError.pinNeeded) { _ = try await tpm.signsCorrectly(with: changed) }
    }

    @Test("each error has a cause, a remedy and the expected kind")
    func failures() {
      let kinds: [(TPMError, FailureKind)] = [
        (.unavailable(.noDevice(path: "/dev/tpmrm0")), .keyStoreUnavailable),
        (.unavailable(.accessDenied(path: "/dev/tpmrm0")), .keyStoreUnavailable),
        (.unavailable(.noResponse(interface: "swtpm")), .keyStoreUnavailable),
        (.wrongPIN, .secretWrong), (.lockedOut, .keyStoreLocked), (.pinNeeded, .secretNeeded), (.emptyPIN, .usage),
        (.pinTooLong(limit: 32), .usage), (.notThisTPM, .keyStoreFailed), (.ownerPasswordSet, .keyStoreFailed),
        (.digestLength(20), .usage), (.malformedKey("x"), .keyStoreFailed), (.unsupportedKey("x"), .keyStoreFailed),
        (.malformedResponse("x"), .keyStoreFailed), (.tpm(code: 0x902, operation: "TPM2_Load"), .keyStoreFailed),
      ]
      for (error, kind) in kinds {
        #expect(error.failure.kind == kind, "\(error)")
        #expect(error.failure.cause.hasSuffix(".") && error.failure.remedy?.isEmpty == false, "\(error)")
      }
      #expect(TPMError.tpm(code: 0x902, operation: "TPM2_Load").failure.details["tpm"] == "0x902")
      for (code, tool) in [
        (0x100, "tpm2_startup"), (0x902, "--transient-object"), (0x903, "--loaded-session"), (0x101, "tpm2_rc_decode"),
      ] as [(UInt32, String)] {
        let remedy = TPMError.tpm(code: code, operation: "TPM2_Load").failure.remedy
        #expect(remedy?.contains(tool) == true, "\(code)")
      }
    }
  }
}
