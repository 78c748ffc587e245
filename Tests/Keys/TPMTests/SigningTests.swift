import Foundation
import TesseraCryptography
import TesseraTPM
import TesseraThreads
import TestSupport
import Testing

let message = Array("What is signed by a TPM stays where it was signed.".utf8)

extension TrustedPlatformModule {
  /// The TPM of the lab, directly or through a bus.
  init(_ lab: TPMLab, clock: any MonotonicClock = ContinuousClock()) {
    self.init(interface: lab.interface, clock: clock)
  }
  /// The connection stays open: its clock stands still.
  init(_ bus: TPMBus) { self.init(interface: bus.interface, clock: ManualClock()) }

  /// Whether OpenSSL verifies a signature over `message`.
  func signsCorrectly(with key: TPMKey, pin: String? = nil) throws -> Bool {
    let digest = try HashAlgorithm.sha256.digest(of: message)
    let (r, s) = try sign(digest: digest, with: key, pin: pin.map { SecretBytes($0.utf8) })
    guard r.count == 32, s.count == 32 else { return false }
    let publicKey = try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
    return try publicKey.verify(r + s, over: message, .plainECDSA(.sha256))
  }

  func createSigningKey(pin text: String) throws -> TPMKey {
    try createSigningKey(pin: SecretBytes(text.utf8))
  }
}

extension RealPrograms {
  @Suite(
    "Keys in a TPM", .serialized, .timeLimit(.minutes(15)),
    .enabled(if: TPMLab.isEnabled, "\(TPMLab.unavailableReason ?? "")"))
  struct SigningTests {
    @Test("creates a key and signs; OpenSSL verifies, and the TPM keeps no objects")
    func createAndSign() async throws {
      let lab = try await TPMLab()
      let clock = ManualClock()
      let tpm = TrustedPlatformModule(lab, clock: clock)
      let key = try await tpm.createSigningKey(pin: nil)
      #expect(!key.needsPIN && key.parent == 0x4000_0001 && key.publicPoint.count == 65)
      #expect(try await tpm.signsCorrectly(with: key))

      let (r, s) = try await tpm.sign(digest: HashAlgorithm.sha256.digest(of: message), with: key, pin: nil)
      let folder = try TemporaryFolder()
      try Data(key.subjectPublicKeyInfo).write(to: folder.url.appendingPathComponent("key.pub"))
      try Data(derSignature(r, s)).write(to: folder.url.appendingPathComponent("signature"))
      try Data(message).write(to: folder.url.appendingPathComponent("message"))
      let verify = [
        "-sha256", "-verify", folder.file("key.pub"), "-keyform", "DER", "-signature", folder.file("signature"),
      ]
      let verified = try await lab.run("openssl", ["dgst"] + verify + [folder.file("message")])
      #expect(verified.status == 0 && verified.output.contains("Verified OK"))
      let other = try await lab.run("openssl", ["dgst"] + verify + [folder.file("key.pub")])
      #expect(other.status == 1, "another message does not verify")

      // The connection stays open for a second after its last use, and is closed then.
      try await clock.waits(1)
      clock.advance(by: .milliseconds(400))
      #expect(try await tpm.signsCorrectly(with: key))
      try await clock.advance(whenAwaited: .milliseconds(600))
      try await clock.advance(whenAwaited: .milliseconds(400))
      try await eventually("The end of the connection") { try await lab.leftovers() == [] }
    }

    @Test("signs again after a restart of the TPM, and reconnects to a TPM that was down")
    func restart() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab, clock: ManualClock())
      let key = try await tpm.createSigningKey(pin: "4711")
      #expect(try await tpm.signsCorrectly(with: key, pin: "4711"))
      // While the connection is open.
      try await lab.restart()
      #expect(try await tpm.signsCorrectly(with: key, pin: "4711"))

      lab.stop()
      for _ in 0..<3 {
        await #expect(throws: TPMError.unavailable(.noResponse(interface: lab.interface))) {
          _ = try await tpm.signsCorrectly(with: key, pin: "4711")
        }
        await #expect(throws: TPMError.unavailable(.noResponse(interface: lab.interface))) {
          _ = try await tpm.createSigningKey(pin: nil)
        }
      }
      try await lab.start()
      #expect(try await tpm.signsCorrectly(with: key, pin: "4711"))
    }

    @Test("reports the key of another TPM")
    func anotherTPM() async throws {
      let first = try await TPMLab()
      let second = try await TPMLab()
      let key = try await TrustedPlatformModule(first).createSigningKey(pin: nil)
      let tpm = TrustedPlatformModule(second)
      await #expect(throws: TPMError.notThisTPM) { _ = try await tpm.signsCorrectly(with: key) }
      await tpm.release()
      #expect(try await second.leftovers() == [])
    }

    @Test("sixteen tasks sign fifty times with five keys")
    func concurrency() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab)
      var keys: [(key: TPMKey, pin: String?)] = []
      for index in 0..<5 {
        let pin = index.isMultiple(of: 2) ? nil : "pin \(index)"
        keys.append((try await tpm.createSigningKey(pin: pin.map { SecretBytes($0.utf8) }), pin))
      }
      let made = keys
      let good = try await withThrowingTaskGroup(of: Int.self) { group in
        for task in 0..<16 {
          group.addTask {
            var good = 0
            for turn in stride(from: task, to: 50, by: 16) {
              let (key, pin) = made[turn % 5]
              if try await tpm.signsCorrectly(with: key, pin: pin) { good += 1 }
            }
            return good
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(good == 50)
      await tpm.release()
      #expect(try await lab.leftovers() == [])
    }

    @Test("rejects invalid digests without the TPM")
    func refusals() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(lab)
      let key = try await tpm.createSigningKey(pin: nil)
      lab.stop()
      for count in [0, 20, 31, 33, 64] {
        await #expect(throws: TPMError.digestLength(count)) {
          _ = try await tpm.sign(digest: [UInt8](repeating: 1, count: count), with: key, pin: nil)
        }
      }
    }

    @Test("reports a password of the owner hierarchy")
    func ownerPassword() async throws {
      let lab = try await TPMLab()
      #expect(try await lab.run("tpm2_changeauth", ["-c", "owner", "secret"]).status == 0)
      let tpm = TrustedPlatformModule(lab)
      await #expect(throws: TPMError.ownerPasswordSet) { _ = try await tpm.createSigningKey(pin: nil) }
      await tpm.release()
      #expect(try await lab.leftovers() == [])
    }

    @Test("releases the TPM with the last reference")
    func deinitialization() async throws {
      let lab = try await TPMLab()
      var tpm: TrustedPlatformModule? = TrustedPlatformModule(lab, clock: ManualClock())
      let made = try await tpm?.createSigningKey(pin: nil)
      let key = try #require(made)
      #expect(try await tpm?.signsCorrectly(with: key) == true)
      tpm = nil
      #expect(try await lab.leftovers() == [])
    }

    @Test("reports the path of a missing device")
    func noDevice() async throws {
      let tpm = TrustedPlatformModule(interface: "device:/dev/no-such-tpm")
      await #expect(throws: TPMError.unavailable(.noDevice(path: "/dev/no-such-tpm"))) {
        _ = try await tpm.createSigningKey(pin: nil)
      }
      let nonsense = TrustedPlatformModule(interface: "no-such-transport:x")
      await #expect(throws: TPMError.unavailable(.noResponse(interface: "no-such-transport:x"))) {
        _ = try await nonsense.createSigningKey(pin: nil)
      }
    }
  }
}

/// `Ecdsa-Sig-Value` of RFC 3279, 2.2.3.
func derSignature(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
  let body = [r, s].flatMap { half -> [UInt8] in
    var digits = Array(half.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(digits.count)] + digits
  }
  return [0x30, UInt8(body.count)] + body
}
