/// Why the manual was not written.
enum ManualError: Error, Equatable, CustomStringConvertible {
  case cannotRun(String)
  case notADefinition(String)
  /// Two commands have one page.
  case samePage(String)
  case cannotWrite(String)
  case noDate

  var description: String {
    switch self {
    case .cannotRun(let path): "The program \(path) cannot be run, or failed."
    case .notADefinition(let path): "The program \(path) does not print its definitions. Is it built?"
    case .samePage(let name): "Two commands have the page \(name)."
    case .cannotWrite(let path): "\(path) cannot be written."
    case .noDate: "The pages need a date: set SOURCE_DATE_EPOCH, or use --date, in seconds since 1970."
    }
  }
}
