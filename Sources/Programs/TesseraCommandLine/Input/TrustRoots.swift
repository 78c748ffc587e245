import FoundationEssentials
package import Tessera

/// The certificates and the fingerprints of `--root`.
package struct TrustRoots {
  package var certificates: [Certificate] = []
  package var fingerprints: Set<[UInt8]> = []

  package init(_ places: [String]) async throws {
    for place in places {
      if let digits = Self.digits(place) {
        guard digits.count == 64, let fingerprint = [UInt8](hexadecimal: digits) else {
          throw Failure(
            .usage, "\(place) is no SHA-256 fingerprint, which has 64 digits, and no file.",
            remedy: "Specify the SHA-256 fingerprint of the certificate, or the file of the certificate.")
        }
        fingerprints.insert(fingerprint)
        continue
      }
      let content = try TrustFileContent(try await TrustFiles.read(place), name: TrustFiles.name(place))
      let found = content.certificates
      guard !found.isEmpty else {
        throw Failure(
          .usage, "\(TrustFiles.name(place)) contains no certificate.",
          remedy: "Specify the certificate of a country signer as the root.")
      }
      certificates += found
    }
  }

  /// The hexadecimal digits of a fingerprint, with or without colons or spaces, in the form in which authorities publish
  /// them; nil for the name of a file.
  private static func digits(_ text: String) -> String? {
    let digits = text.filter { $0 != ":" && $0 != " " }
    guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit), !FileManager.default.fileExists(atPath: text) else {
      return nil
    }
    return digits
  }
}
