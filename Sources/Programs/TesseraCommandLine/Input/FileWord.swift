/// Words of a command line that can only be the name of a file. What else a user types in its place (a machine readable
/// zone, a document number, a date, a PIN, a bridge request) has no such ending.
package enum FileWord {
  /// The endings of the files that the commands read and write, and of texts.
  private static let endings: Set<String> = [
    "avif", "bmp", "cer", "crl", "crt", "csv", "der", "dtc", "gif", "heic", "htm", "html", "iso", "j2k", "jp2", "jpeg",
    "jpg", "json", "key", "ldif", "log", "ml", "p12", "p7b", "p7c", "pdf", "pem", "pfx", "png", "tessera", "tif",
    "tiff", "trace", "txt", "webp", "zip",
  ]
  private static let signs = Set(" -_./+@,~".unicodeScalars)

  /// Whether the word ends like the name of a file, and has no sign of a zone or of a request.
  package static func isName(_ word: String) -> Bool {
    let parts = (word.split(separator: "/").last ?? "").split(separator: ".")
    guard parts.count > 1, let ending = parts.last, endings.contains(ending.lowercased()) else { return false }
    return word.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || signs.contains($0)
    }
  }
}
