import TesseraCore

/// An inconsistency in a file of the chip: a wrong statement, or a missing part.
///
/// It is thrown if the structure cannot be read. It is collected if only a statement (a count, a size, a list) is wrong
/// and the content is readable. The raw file remains available in both cases. A finding never quotes the content.
public struct FileFinding: Error, Sendable, Hashable {
  public enum Problem: Sendable, Hashable {
    case missing
    /// The part, or its stated length, exceeds the enclosing data.
    case truncated
    /// The reason, without any content.
    case malformed(String)
    case count(stated: Int, found: Int)
    /// In bytes.
    case length(stated: Int, found: Int)
    case imageSize(stated: ImageSize, found: ImageSize)
    case imageFormat(stated: String, found: String)
    /// More parts than any document has.
    case tooMany(limit: Int)
    /// In the file's tag list, but absent.
    case listedButAbsent
    /// Present, but not in the file's tag list.
    case unlisted
    case repeated
    /// Not defined at this position.
    case unknown
  }

  public let file: ElementaryFile
  /// The path of the part, from the outermost inwards, in the terms of the specification.
  public let element: String
  public let problem: Problem

  package init(_ file: ElementaryFile, _ element: String, _ problem: Problem) {
    self.file = file
    self.element = element
    self.problem = problem
  }
}

extension FileFinding.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing: "is missing"
    case .truncated: "exceeds the enclosing data"
    case .malformed(let reason): reason
    case .count(let stated, let found): "states \(stated), but there are \(found)"
    case .length(let stated, let found): "states \(stated) bytes, but there are \(found)"
    case .imageSize(let stated, let found): "states \(stated) pixels, but the image has \(found)"
    case .imageFormat(let stated, let found): "states \(stated), but the image is \(found)"
    case .tooMany(let limit): "has more than \(limit) parts"
    case .listedButAbsent: "is listed, but absent"
    case .unlisted: "is present, but not listed"
    case .repeated: "occurs more than once"
    case .unknown: "is not defined at this position"
    }
  }
}

extension FileFinding: LocalizedFailure {
  public var failure: Failure {
    Failure(
      .protocolViolation, "\(file.name) is malformed: \(element) \(problem).",
      remedy: "Read the document again. If the problem persists, examine the raw file.",
      details: ["file": file.name, "element": element])
  }
}
