import CTesseraTSS2
import SwiftASN1
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraTPM

extension RealPrograms {
  @Suite("TPM key files", .serialized, .timeLimit(.minutes(15)))
  struct KeyFileTests {
    /// A P-256 key without PIN, created by the provider of OpenSSL in a TPM that no longer exists.
    static let publicArea = bytes(
      "00560023000B00060072000000100010000300100020F9593484F99BD52AD36AB1300E00CA96A12CC3E62E59A77A19154F09AC1011C7"
        + "00209D55971E93DA475AF17BE3E6EDFF326ED753E2E9CB564C6162FFE92BEA511314")
    static let privateArea = bytes(
      "007E002073C1480FA9FD9E7FF6B35AFCC3E68EB714DFA76BBB1CF358BCCE30D945E1496F001097F1203A15F6300C2B2FAF51282B6C29"
        + "A55195DB693DC7DDFE34CCE6187F3FCC07082F6ACD2678BDD6AC263105FD4118918C3441A1B057032FF6B324C0E2C43648828E1054"
        + "54F3EAA30C5493AF03F5933CE1CA9A7C795458A225")

    static func bytes(_ hexadecimal: String) -> [UInt8] { Vector(hexadecimal).bytes }

    struct Parts {
      var type: ASN1ObjectIdentifier = [2, 23, 133, 10, 1, 3]
      var options: [(tag: UInt, value: [UInt8])] = [(0, [0x01, 0x01, 0xFF])]
      var parent: Int = 0x4000_0001
      var publicArea = KeyFileTests.publicArea
      var privateArea = KeyFileTests.privateArea

      var der: [UInt8] {
        get throws {
          var serializer = DER.Serializer()
          try serializer.appendConstructedNode(identifier: .sequence) { sequence in
            try sequence.serialize(type)
            for (tag, value) in options {
              sequence.appendConstructedNode(identifier: .init(tagWithNumber: tag, tagClass: .contextSpecific)) {
                $0.serializeRawBytes(value)
              }
            }
            try sequence.serialize(parent)
            try sequence.serialize(ASN1OctetString(contentBytes: publicArea[...]))
            try sequence.serialize(ASN1OctetString(contentBytes: privateArea[...]))
          }
          return serializer.serializedBytes
        }
      }
    }

    func refusal(_ change: (inout Parts) -> Void) throws -> TPMError? {
      var parts = Parts()
      change(&parts)
      let der = try parts.der
      do {
        _ = try TPMKey(der: der)
        return nil
      } catch {
        return error
      }
    }

    @Test("decodes a key from DER and PEM")
    func reading() throws {
      let der = try Parts().der
      let key = try TPMKey(der: der)
      #expect(key.der == der && key.parent == 0x4000_0001 && !key.needsPIN)
      var point: [UInt8] = [4]
      point += Self.publicArea[22..<54]
      point += Self.publicArea[56..<88]
      #expect(key.publicPoint == point)
      #expect(try TPMKey(pem: key.pem) == key)
      #expect(key.pem.hasPrefix("-----BEGIN TSS2 PRIVATE KEY-----\n"))
      #expect(throws: TPMError.self) { try TPMKey(pem: key.pem.replacing("TSS2 ", with: "EC ")) }
      #expect(throws: TPMError.self) { try TPMKey(pem: "") }
      // The same key, encoded from its parts.
      let made = try TPMKey(
        parent: 0x4000_0001, needsPIN: false, publicArea: Self.publicArea, privateArea: Self.privateArea)
      #expect(made == key)
    }

    @Test("accepts the encoding variants of other programs")
    func variants() throws {
      #expect(try refusal { $0.options = [(0, [0x01, 0x01, 0x01])] } == nil, "the provider's encoding of true")
      var parts = Parts()
      parts.options = []
      #expect(try TPMKey(der: parts.der).needsPIN, "a missing flag means a PIN")
      parts.options = [(0, [0x01, 0x01, 0x00]), (4, [0x0C, 0x01, 0x41]), (5, [0x01, 0x01, 0x00])]
      #expect(try TPMKey(der: parts.der).needsPIN)
      parts.parent = 0x8100_0001
      #expect(try TPMKey(der: parts.der).parent == 0x8100_0001)
      parts.parent = Int(Int32(bitPattern: 0x8100_0001))
      #expect(try TPMKey(der: parts.der).parent == 0x8100_0001)
    }

    @Test("rejects other kinds of keys as unsupported")
    func unsupported() throws {
      // Offsets into TPM2B_PUBLIC: size 2, type 2, nameAlg 2, attributes 4, authPolicy 2, symmetric 2, scheme 2, curve 2,
      // kdf 2, x.
      let changes: [(String, (inout Parts) -> Void)] = [
        ("importable", { $0.type = [2, 23, 133, 10, 1, 4] }),
        ("policy", { $0.options.append((1, [0x30, 0x00])) }),
        ("secret", { $0.options.append((2, [0x04, 0x00])) }),
        ("rsaParent", { $0.options.append((5, [0x01, 0x01, 0xFF])) }),
        ("unknown option", { $0.options.append((9, [0x05, 0x00])) }),
        ("endorsement", { $0.parent = 0x4000_000B }), ("null hierarchy", { $0.parent = 0x4000_0007 }),
        ("transient parent", { $0.parent = 0x8000_0000 }), ("huge parent", { $0.parent = 0x1_4000_0001 }),
        ("SHA-1 name", { $0.publicArea[5] = 0x04 }),
        ("restricted", { $0.publicArea[7] |= 0x01 }), ("no sign", { $0.publicArea[7] &= ~0x04 }),
        ("x509sign", { $0.publicArea[7] |= 0x08 }), ("policy only", { $0.publicArea[9] &= ~0x40 }),
        ("P-384", { $0.publicArea[17] = 0x04 }),
      ]
      for (name, change) in changes {
        guard case .unsupportedKey = try refusal(change) else {
          Issue.record("\(name): \(String(describing: try refusal(change)))")
          continue
        }
      }
    }

    @Test("accepts only the scheme ECDSA with SHA-256")
    func schemes() throws {
      func withScheme(_ scheme: [UInt8]) -> (inout Parts) -> Void {
        { parts in
          parts.publicArea.replaceSubrange(14..<16, with: scheme)
          parts.publicArea[1] = UInt8(parts.publicArea.count - 2)
        }
      }
      #expect(try refusal(withScheme([0x00, 0x18, 0x00, 0x0B])) == nil)
      #expect(try refusal(withScheme([0x00, 0x18, 0x00, 0x0C])) == .unsupportedKey("it is not for SHA-256"))
      #expect(try refusal(withScheme([0x00, 0x1C, 0x00, 0x0B])) == .unsupportedKey("it is not for ECDSA"))
    }

    @Test("rejects damaged keys as malformed")
    func malformed() throws {
      let changes: [(String, (inout Parts) -> Void)] = [
        ("point off the curve", { $0.publicArea[87] ^= 1 }),
        ("coordinate too long", { $0.publicArea[21] = 0x21 }),
        ("no private area", { $0.privateArea = [] }), ("empty private area", { $0.privateArea = [0, 0] }),
        ("private area too short", { $0.privateArea.removeLast() }),
        ("trailing bytes in the private area", { $0.privateArea.append(0) }),
        ("private area too long", { $0.privateArea = [0xFF, 0xFF] + [UInt8](repeating: 1, count: 65_535) }),
        ("trailing bytes in the public area", { $0.publicArea.append(0) }), ("no public area", { $0.publicArea = [] }),
        ("wrong size", { $0.publicArea[1] = 0x55 }), ("size too large", { $0.publicArea[1] = 0x57 }),
        ("options out of order", { $0.options = [(4, [0x0C, 0x00]), (0, [0x01, 0x01, 0xFF])] }),
        ("option twice", { $0.options = [(0, [0x01, 0x01, 0xFF]), (0, [0x01, 0x01, 0xFF])] }),
        ("two booleans", { $0.options = [(0, [0x01, 0x01, 0xFF, 0x01, 0x01, 0xFF])] }),
        ("no boolean", { $0.options = [(0, [0x05, 0x00])] }),
      ]
      for (name, change) in changes {
        guard case .malformedKey = try refusal(change) else {
          Issue.record("\(name): \(String(describing: try refusal(change)))")
          continue
        }
      }
    }

    @Test("pads short coordinates on the left")
    func shortCoordinates() throws {
      // A point with a leading zero byte is rare; this test covers its encoding only.
      var area = TPM2B_ECC_PARAMETER()
      area.size = 2
      area.buffer.0 = 0xAB
      area.buffer.1 = 0xCD
      #expect(Coordinate.padded(area) == [UInt8](repeating: 0, count: 30) + [0xAB, 0xCD])
      area.size = 0
      #expect(Coordinate.padded(area) == nil)
      area.size = 33
      #expect(Coordinate.padded(area) == nil)
      area.size = 0xFFFF
      #expect(Coordinate.padded(area) == nil)
    }

    @Test("rejects every truncation; a flipped bit is rejected or gives another key")
    func damage() throws {
      let der = try Parts().der
      let key = try TPMKey(der: der)
      for count in 0..<der.count {
        #expect(throws: TPMError.self, "\(count) bytes") { try TPMKey(der: Array(der.prefix(count))) }
      }
      #expect(throws: TPMError.self) { try TPMKey(der: der + [0]) }
      var refused = 0
      for bit in 0..<der.count * 8 {
        var changed = der
        changed[bit / 8] ^= 1 << (bit % 8)
        do {
          let other = try TPMKey(der: changed)
          #expect(other != key)
        } catch {
          refused += 1  // typed: anything but a TPMError would not compile
        }
      }
      // All flips in the structure, the parameters and the point: 88 bytes of public area alone.
      #expect(refused > 800 && refused < der.count * 8)
    }

    @Test(
      "keys with flipped bits cause typed errors in the TPM, which stays usable",
      .enabled(if: TPMLab.isEnabled, "\(TPMLab.unavailableReason ?? "")"))
    func damageInTPM() async throws {
      let lab = try await TPMLab()
      let tpm = TrustedPlatformModule(interface: lab.interface)
      let key = try await tpm.createSigningKey(pin: nil)
      var asked = 0
      var errors: [TPMError] = []
      for position in key.der.indices {
        for bit in [position % 8, (position + 3) % 8] {
          var der = key.der
          der[position] ^= 1 << bit
          guard let changed = try? TPMKey(der: der), !changed.needsPIN else { continue }
          asked += 1
          do {
            // Only if the change is in the PIN flag of the file, which the TPM does not receive.
            #expect(try await tpm.signsCorrectly(with: changed))
            #expect(changed.publicPoint == key.publicPoint && changed.privateArea == key.privateArea)
          } catch let error as TPMError {
            errors.append(error)
          }
        }
      }
      #expect(asked > 200, "two bits of each byte of the private area at least")
      #expect(errors.filter { $0 == .notThisTPM }.count > 150)
      for error in errors where error != .notThisTPM {
        guard case .tpm(_, "TPM2_Load") = error else {
          Issue.record("\(error)")
          continue
        }
      }
      #expect(try await tpm.signsCorrectly(with: key))
      await tpm.release()
      #expect(try await lab.leftovers() == [])
    }

    @Test("selects the interface from the caller, the first environment variable that is set, or the kernel default")
    func interfaces() {
      #expect(TPMInterface("a", environment: ["TESSERA_TPM2_TCTI": "b"]).configuration == "a")
      let all = ["TESSERA_TPM2_TCTI": "b", "TPM2OPENSSL_TCTI": "c", "TPM2TOOLS_TCTI": "d"]
      #expect(TPMInterface(nil, environment: all).configuration == "b")
      #expect(TPMInterface(nil, environment: ["TPM2OPENSSL_TCTI": "c", "TPM2TOOLS_TCTI": "d"]).configuration == "c")
      #expect(TPMInterface(nil, environment: ["TESSERA_TPM2_TCTI": "", "TPM2TOOLS_TCTI": "d"]).configuration == "d")
      #expect(TPMInterface(nil, environment: [:]).configuration == "device:/dev/tpmrm0")
    }
  }
}
