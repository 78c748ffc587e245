/// Text with blocks of certificates, CRLs and lists (RFC 7468).
enum PEMFile {
  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)
  private static let dashes = Array("-----".utf8)
  /// Names of blocks that may hold trust material, as OpenSSL and others write them. Other blocks are ignored, such as
  /// keys.
  private static let labels: Set<String> = [
    "CERTIFICATE", "X509 CERTIFICATE", trusted, "X509 CRL", "CMS", "PKCS7", "PKCS #7 SIGNED DATA",
  ]
  /// A certificate with what OpenSSL trusts it for behind it (`openssl x509 -trustout`), which is for web servers.
  private static let trusted = "TRUSTED CERTIFICATE"

  static func isPEM(_ text: ArraySlice<UInt8>) -> Bool { TextLines(text).contains { $0.line.starts(with: begin) } }

  static func objects(in text: ArraySlice<UInt8>) throws(TrustSourceError.Problem) -> [TrustObject] {
    var objects: [TrustObject] = []
    var block: Block?
    for (number, line) in TextLines(text) {
      let line = trimmed(line)
      if line.starts(with: begin) {
        guard block == nil, let label = label(line.dropFirst(begin.count)) else { throw .damaged(line: number) }
        block = Block(label: label, line: number)
      } else if line.starts(with: end) {
        guard let ended = block, ended.label == label(line.dropFirst(end.count)) else { throw .damaged(line: number) }
        block = nil
        guard labels.contains(ended.label) else { continue }
        guard var content = Base64.decode(ended.text) else { throw .damaged(line: ended.line) }
        if ended.label == trusted {
          var rest = content[...]
          content = BERElement.take(from: &rest).map { Array($0.encoding) } ?? content
        }
        do throws(TrustSourceError.Problem) { objects += try TrustObject.recognise(content[...]) } catch {
          throw error.at(line: ended.line)
        }
        guard objects.count <= TrustSource.maximumObjects else {
          throw .tooManyObjects(limit: TrustSource.maximumObjects)
        }
      } else {
        block?.text += line
      }
    }
    if let block { throw .damaged(line: block.line) }
    guard !objects.isEmpty else { throw .unrecognised }
    return objects
  }

  private struct Block {
    let label: String
    /// Of its first line.
    let line: Int
    var text: [UInt8] = []
  }

  private static func label(_ text: ArraySlice<UInt8>) -> String? {
    guard text.suffix(dashes.count).elementsEqual(dashes) else { return nil }
    return String(decoding: text.dropLast(dashes.count), as: UTF8.self)
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
    while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
    return line
  }
}

extension TrustSourceError.Problem {
  /// The same problem with the place of the damaged block.
  fileprivate func at(line: Int) -> Self { self == .damaged(line: nil) ? .damaged(line: line) : self }
}

/// The lines of a text in ASCII or UTF-8, which end with LF or CR LF, with their numbers from 1.
struct TextLines: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  private var number = 0
  private var isAtEnd = false

  init(_ text: ArraySlice<UInt8>) { rest = text }

  mutating func next() -> (number: Int, line: ArraySlice<UInt8>)? {
    guard !isAtEnd else { return nil }
    number += 1
    var line = rest
    if let end = rest.firstIndex(of: 0x0A) {
      line = rest[..<end]
      rest = rest[(end + 1)...]
    } else {
      isAtEnd = true
    }
    if line.last == 0x0D { line = line.dropLast() }
    return (number, line)
  }
}
