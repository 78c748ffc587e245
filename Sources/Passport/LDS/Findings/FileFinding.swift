import Failures

/// Something that a file of the chip states and that does not hold, or that it should have and has not.
///
/// Thrown where the structure cannot be read at all; collected where only the statement is wrong (a count, a size, a
/// list) and the content can be had all the same. The file stays as it came either way. Nothing of its content is told.
public struct FileFinding: Error, Sendable, Hashable {
  public enum Problem: Sendable, Hashable {
    case missing
    /// It, or the length it states, goes beyond what holds it.
    case truncated
    /// The reason, without anything of the content.
    case malformed(String)
    case count(stated: Int, found: Int)
    /// In bytes.
    case length(stated: Int, found: Int)
    case imageSize(stated: ImageSize, found: ImageSize)
    case imageFormat(stated: String, found: String)
    /// More parts than any document has.
    case tooMany(limit: Int)
    /// In the file's list of what it holds, and not there.
    case notThere
    /// There, and not in the file's list of what it holds.
    case unlisted
    case repeated
    /// Of no meaning at this place.
    case unknown
  }

  public let file: ElementaryFile
  /// The part of the file, from the outside in, in the words of the specification.
  public let element: String
  public let problem: Problem

  public init(_ file: ElementaryFile, _ element: String, _ problem: Problem) {
    self.file = file
    self.element = element
    self.problem = problem
  }
}

extension FileFinding.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing: "is missing"
    case .truncated: "goes beyond what holds it"
    case .malformed(let reason): reason
    case .count(let stated, let found): "states \(stated) and there are \(found)"
    case .length(let stated, let found): "states \(stated) bytes and there are \(found)"
    case .imageSize(let stated, let found): "states \(stated) pixels and the image has \(found)"
    case .imageFormat(let stated, let found): "states \(stated) and the image is \(found)"
    case .tooMany(let limit): "has more than \(limit) parts"
    case .notThere: "is listed and not there"
    case .unlisted: "is there and not listed"
    case .repeated: "is there more than once"
    case .unknown: "has no meaning at this place"
    }
  }
}

extension FileFinding: ExplainedError {
  public var failure: Failure {
    Failure(
      .protocolViolation, "\(file.name) is malformed: \(element) \(problem).",
      remedy: "Read the document again; the raw file is kept by --out.",
      details: ["file": file.name, "element": element])
  }
}
