import TesseraSmartCard

/// A data object in a file, with its path for findings.
struct FileElement: Sendable {
  let file: ElementaryFile
  /// The names from the outermost object inwards; empty for the file itself.
  let path: String
  let value: ArraySlice<UInt8>

  /// The data object that fills a file. Bytes after it are ignored, since some files are padded.
  init(_ file: ElementaryFile, _ bytes: [UInt8]) throws(FileFinding) {
    do {
      value = try BERTLV.value(of: file.tag, in: bytes[...])
    } catch {
      throw FileFinding(file, "its tag and length", Self.problem(error))
    }
    self.file = file
    path = ""
  }

  init(_ file: ElementaryFile, path: String, value: ArraySlice<UInt8>) {
    self.file = file
    self.path = path
    self.value = value
  }

  /// A part of this element, or another view of it.
  func part(_ name: String, _ value: ArraySlice<UInt8>) -> FileElement {
    FileElement(file, path: pathOf(name), value: value)
  }

  func finding(_ problem: FileFinding.Problem) -> FileFinding {
    FileFinding(file, path.isEmpty ? "its content" : path, problem)
  }

  /// A finding about a part, which may be absent.
  func finding(_ name: String, _ problem: FileFinding.Problem) -> FileFinding {
    FileFinding(file, pathOf(name), problem)
  }

  private func pathOf(_ name: String) -> String { path.isEmpty ? name : "\(path), \(name)" }

  /// Maximum number of data objects on one level; no document has more.
  static let maximumParts = 1024

  /// The data objects inside. Skips filler bytes between BER-TLV objects; DER has none.
  ///
  /// - Throws: the finding about the first malformed object.
  func parts(skippingFiller: Bool = true) throws(FileFinding) -> FileParts {
    var rest = value
    var objects: [BERTLV] = []
    while let first = rest.first {
      if skippingFiller, first == 0x00 || first == 0xFF {
        rest.removeFirst()
        continue
      }
      guard objects.count < Self.maximumParts else { throw finding(.tooMany(limit: Self.maximumParts)) }
      do {
        objects.append(try BERTLV.take(from: &rest))
      } catch {
        throw finding("data object \(objects.count + 1)", Self.problem(error))
      }
    }
    return FileParts(owner: self, objects: objects)
  }

  private static func problem(_ error: TLVError) -> FileFinding.Problem {
    switch error {
    case .truncated: .truncated
    case .malformedTag: .malformed("has a malformed tag")
    case .malformedLength: .malformed("has a malformed length")
    case .unexpectedTag: .malformed("has an unexpected tag")
    }
  }
}

/// The data objects inside one element.
struct FileParts: Sendable {
  let owner: FileElement
  let objects: [BERTLV]

  func first(_ tag: UInt32, _ name: String) -> FileElement? {
    objects.first { $0.tag == tag }.map { owner.part(name, $0.value) }
  }

  func required(_ tag: UInt32, _ name: String) throws(FileFinding) -> FileElement {
    guard let element = first(tag, name) else { throw owner.finding(name, .missing) }
    return element
  }

  /// All elements with this tag, numbered from 1.
  func all(_ tag: UInt32, _ name: String) -> [FileElement] {
    objects.filter { $0.tag == tag }.enumerated().map { owner.part("\(name) \($0 + 1)", $1.value) }
  }

  /// Compares the count in `02` with the number of elements; no finding if the count is absent.
  func countFindings(_ name: String, found: Int) -> [FileFinding] {
    guard let count = first(0x02, name) else { return [] }
    guard let stated = count.value.count == 1 ? count.value.first.map(Int.init) : nil else {
      return [count.finding(.malformed("is not a single byte"))]
    }
    return stated == found ? [] : [count.finding(.count(stated: stated, found: found))]
  }
}

extension FileElement {
  /// UTF-8 text. Some issuers wrote ISO/IEC 8859-1 before Doc 9303 specified UTF-8; such text is decoded and reported
  /// as a finding.
  func text(_ findings: inout [FileFinding]) -> String {
    if let text = String(validating: value, as: UTF8.self) { return text }
    findings.append(finding(.malformed("is not UTF-8")))
    return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
  }
}
