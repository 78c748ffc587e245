import TesseraArchive
import TesseraCore

/// Finds master lists, certificates and CRLs in the files in which states, the ICAO and others publish them.
package enum TrustSource {
  /// A collection of all countries has less than 100 MB.
  package static let maximumSize = 256 << 20
  package static let maximumObjects = 200_000
  /// A master list of all countries has less than 3 MB. It is decoded before its signature can be verified.
  static let maximumMessageSize = 16 << 20
  private static let archiveLimits = ZipArchive.Limits(
    maximumEntries: 10_000, maximumEntrySize: maximumSize, maximumTotalSize: maximumSize)

  /// All objects in a file, in its order. The format is recognised by content:
  ///
  /// - DER or BER: a master list, a deviation list, a certificate, a CRL, or CMS that transports the last two;
  /// - PEM with any number of these, and other text around them; base64 without the lines of PEM, also in S/MIME;
  /// - LDIF of the ICAO PKD (RFC 2849);
  /// - a zip archive with such files. Others in it are ignored, such as instructions; archives are named.
  ///
  /// No signature is verified.
  ///
  /// - Parameter name: The file's name, for errors only.
  package static func objects(in bytes: [UInt8], name: String) throws(TrustSourceError) -> [TrustObject] {
    do throws(TrustSourceError.Problem) {
      guard bytes.count <= maximumSize else { throw TrustSourceError.Problem.tooLarge(limit: maximumSize) }
      guard ZipArchive.isZip(bytes) else { return try objects(in: bytes) }
    } catch { throw TrustSourceError(name, error) }
    return try objects(inArchive: bytes, name)
  }

  private static func objects(
    inArchive bytes: [UInt8], _ name: String
  ) throws(TrustSourceError) -> [TrustObject] {
    var entries: [ZipEntry]
    do { entries = try ZipArchive.read(bytes, archiveLimits) } catch { throw TrustSourceError(name, .archive(error)) }
    var objects: [TrustObject] = []
    var archives: [String] = []
    entries.reverse()
    while let entry = entries.popLast() {
      let path = "\(name): \(entry.name)"
      if ZipArchive.isZip(entry.bytes) {
        if !isOfOffice(entry.bytes) { archives.append(entry.name) }
        continue
      }
      do throws(TrustSourceError.Problem) {
        objects += try Self.objects(in: entry.bytes)
      } catch {
        if [.empty, .webPage, .unrecognised, .otherSignedData].contains(error) { continue }
        throw TrustSourceError(path, error)
      }
      guard objects.count <= maximumObjects else {
        throw TrustSourceError(name, .tooManyObjects(limit: maximumObjects))
      }
    }
    if objects.isEmpty, let archive = archives.first { throw TrustSourceError("\(name): \(archive)", .nestedArchive) }
    guard !objects.isEmpty else { throw TrustSourceError(name, .unrecognised) }
    return objects + archives.map { .archive(name: PrintableText.of($0)) }
  }

  /// Whether a zip archive is a text or a table of an office program (ECMA-376-2; OpenDocument 1.2, part 3), such as
  /// instructions: its first file has one of these names.
  private static func isOfOffice(_ archive: [UInt8]) -> Bool {
    ["[Content_Types].xml", "_rels/.rels", "mimetype"].contains { archive.dropFirst(30).starts(with: $0.utf8) }
  }

  /// The objects of a file that is no archive.
  private static func objects(in bytes: [UInt8]) throws(TrustSourceError.Problem) -> [TrustObject] {
    if bytes.first == BERElement.sequence {
      do throws(TrustSourceError.Problem) {
        return try TrustObject.recognise(bytes[...])
      } catch {
        // A text can begin with the same byte, a zero, for example that of a date.
        guard isText(bytes) else { throw error }
      }
    }
    let text = withoutByteOrderMark(bytes)
    guard let start = text.firstIndex(where: { !isSpace($0) }) else { throw .empty }
    // No text begins with a control character. A large file of zeros would be searched for lines for seconds.
    guard text[start] > 0x20 else { throw .unrecognised }
    if text[start] == UInt8(ascii: "<") { throw .webPage }
    if LDIFFile.isLDIF(text) { return try LDIFFile.objects(in: text) }
    if PEMFile.isPEM(text) { return try PEMFile.objects(in: text) }
    let body = mailBody(text) ?? text
    guard let content = Base64.decode(body.filter { !isSpace($0) }), content.first == BERElement.sequence else {
      throw .unrecognised
    }
    return try TrustObject.recognise(content[...])
  }

  /// The content of a message of S/MIME with one part in base64 (RFC 8551, 3.4), as `openssl cms -outform SMIME` writes it;
  /// nil if this is none.
  private static func mailBody(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var lines = TextLines(text).lazy.map(\.line).makeIterator()
    var isMail = false
    while let line = lines.next() {
      if line.isEmpty { break }
      let name = String(decoding: line.prefix(64).prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
      if ["mime-version", "content-type"].contains(name) { isMail = true }
    }
    guard isMail, let first = lines.next() else { return nil }
    return text[first.startIndex...]
  }

  private static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }

  /// Whether this is UTF-8 without control characters. DER has some in its first bytes.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { isSpace($0) || $0 >= 0x20 && $0 != 0x7F } && String(validating: bytes, as: UTF8.self) != nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
}
