/// The two lines of the page between which the measured part stands. Both are comments, which DocC does not show.
package enum PageMarks {
  package static let begin = "<!-- tessera-bench: begin -->"
  package static let end = "<!-- tessera-bench: end -->"

  /// The page with another part between the marks, and otherwise unchanged.
  package static func replacing(in page: String, with part: String) throws(PageMarkProblem) -> String {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let first = try number(of: begin, in: lines)
    let last = try number(of: end, in: lines)
    guard first < last else { throw .wrongOrder }
    var result = lines[...first].map(String.init)
    result += ["", part, ""]
    result += lines[last...].map(String.init)
    return result.joined(separator: "\n")
  }

  private static func number(of mark: String, in lines: [Substring]) throws(PageMarkProblem) -> Int {
    let numbers = lines.indices.filter { lines[$0] == mark }
    guard let number = numbers.first else { throw .missing(mark) }
    guard numbers.count == 1 else { throw .repeated(mark) }
    return number
  }
}

/// Why the measured part of a page cannot be replaced.
package enum PageMarkProblem: Error, Equatable, CustomStringConvertible {
  case missing(String)
  case repeated(String)
  case wrongOrder

  package var description: String {
    switch self {
    case .missing(let mark): "The page has no line \"\(mark)\". Add it where the tables belong."
    case .repeated(let mark): "The page has the line \"\(mark)\" more than once. Remove all but one."
    case .wrongOrder: "The page has its second mark before its first. Exchange the two lines."
    }
  }
}
