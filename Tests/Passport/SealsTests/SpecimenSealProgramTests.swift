import Foundation
import TesseraBarcodes
import TesseraVirtualChip
import TestSupport
import Testing

extension RealPrograms {
  /// The seals of the test country, checked with programs of other people.
  @Suite("Seals of the test country, and other programs")
  struct SpecimenSealProgramTests {
    /// A seal, the certificates and the revocation list in a folder.
    struct Lab {
      let kind: SpecimenSealKind
      let seal: SpecimenSeal
      private let shell: KeyShell

      init(_ name: String) throws {
        kind = try #require(SpecimenSealKind(named: name))
        let issuer = try SealIssuer()
        seal = try issuer.seal(kind)
        shell = try KeyShell()
        let country = issuer.country
        let signer = seal.bytes.first == UInt8(ascii: "{") ? country.sealSigners.last : country.sealSigners.first
        try write(Array(#require(country.countrySigners.first).pem().utf8), "csca.pem")
        try write(Array(#require(signer).pem().utf8), "signer.pem")
        try write(#require(country.revocationLists.first), "crl.der")
        try write(seal.bytes, "seal")
        try write(seal.signedBytes, "signed")
        try write(Self.der(seal.signature), "signature")
      }

      func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: shell.folder.url.appendingPathComponent(name))
      }

      func bytes(_ name: String) -> [UInt8] { shell.folder.bytes(name) }

      /// The standard output and standard error of a shell script, which must succeed.
      func run(_ script: String) async throws -> String {
        let run = try await shell.run("set -e\n" + script)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        return run.output + run.errors
      }

      /// `r || s` as the sequence that OpenSSL reads.
      private static func der(_ signature: [UInt8]) -> [UInt8] {
        let half = signature.count / 2
        let numbers = [signature.prefix(half), signature.suffix(half)].flatMap { number -> [UInt8] in
          let digits = number.drop { $0 == 0 }
          let whole = (digits.first.map { $0 >= 0x80 } ?? true ? [0] : []) + digits
          return [0x02, UInt8(whole.count)] + whole
        }
        return [0x30, UInt8(numbers.count)] + numbers
      }
    }

    @Test("OpenSSL verifies the signature, and the signer up to its country", arguments: SpecimenSealTests.barcodes)
    func signature(_ name: String) async throws {
      let text = try await Lab(name).run(
        """
        openssl crl -inform DER -in crl.der -out crl.pem
        openssl verify -x509_strict -crl_check -CRLfile crl.pem -CAfile csca.pem signer.pem
        openssl x509 -in signer.pem -noout -pubkey > key.pem
        openssl dgst -sha256 -verify key.pem -signature signature signed
        openssl x509 -in signer.pem -noout -text
        """)
      for words in ["signer.pem: OK", "Verified OK", "X509v3 Extended Key Usage: critical", "Authority Key Identifier"]
      {
        #expect(text.contains(words), "\(text)")
      }
      for words in ["X509v3 Key Usage", "Basic Constraints", "Subject Key Identifier", "Distribution Points"] {
        #expect(!text.contains(words), "\(text)")
      }
    }

    @Test("the signed bytes are the beginning of the seal", arguments: SpecimenSealTests.barcodes)
    func signedBytes(_ name: String) async throws {
      let lab = try Lab(name)
      let seal = lab.seal
      guard seal.bytes.first != 0xDC else {
        // The signature has 64 bytes, in both versions.
        #expect(seal.bytes == seal.signedBytes + [0xFF, 64] + seal.signature)
        return
      }
      // Python has an encoder of JSON, which writes the canonical form of these texts, and decoders of base32 and zlib.
      let script = """
        import base64, json, zlib
        seal = open('seal', 'rb').read()
        if seal[:1] == b'{':
            data = json.loads(seal)['data']
            text = json.dumps(data, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
            signed = text.encode()
            assert len(base64.urlsafe_b64decode(json.loads(seal)['sig']['sigvl'] + '==')) == 64
        else:
            signed = base64.b32decode(seal[5:] + b'=' * (-(len(seal) - 5) % 8))
            if seal[4:5] == b'D':
                signed = zlib.decompress(signed)
        open('decoded', 'wb').write(signed)
        """
      try lab.write(Array(script.utf8), "decode.py")
      _ = try await lab.run("python3 decode.py")
      let decoded = lab.bytes("decoded")
      if seal.bytes.first == UInt8(ascii: "{") {
        #expect(decoded == seal.signedBytes)
      } else {
        #expect(decoded.starts(with: seal.signedBytes))
        #expect(decoded.suffix(66) == [0x7F, 64] + seal.signature)
      }
    }

    @Test(
      "the symbol has the content of the seal, byte by byte",
      .enabled(if: SymbolPrograms.isEnabled, "\(SymbolPrograms.unavailableReason)"),
      arguments: SpecimenSealTests.barcodes)
    func symbol(_ name: String) async throws {
      let lab = try Lab(name)
      let symbol = try #require(lab.kind.symbol)
      let format = try #require(Barcode.Format(rawValue: symbol.rawValue))
      try lab.write(BarcodeWriter(format).write(lab.seal.bytes, moduleSize: 6).png(), "symbol.png")
      let command =
        switch symbol {
        case .dataMatrix: SymbolPrograms.dataMatrix("symbol.png")
        case .qrCode: SymbolPrograms.qrCode("symbol.png")
        }
      _ = try await lab.run(command + " > read")
      #expect(lab.bytes("read") == lab.seal.bytes)
    }

    @Test("OpenSSL finds the files of the passport in the credential")
    func credential() async throws {
      let text = try await Lab("dtc").run("openssl asn1parse -inform DER -in seal")
      for tag in 0...2 { #expect(text.contains("cont [ \(tag) ]"), "\(text)") }
      #expect(text.contains("INTEGER           :01"))
    }
  }
}
