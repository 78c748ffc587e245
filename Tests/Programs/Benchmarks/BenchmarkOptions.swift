/// The arguments of `tessera-bench`.
struct BenchmarkOptions {
  enum Form {
    case text
    case json
    case markdown
  }

  private(set) var form = Form.text
  /// The article whose tables are replaced.
  private(set) var page: String?
  /// The program that is measured as a whole.
  private(set) var program: String?
  private(set) var groups: [String] = []

  /// Those with rows of the article.
  private static let groupsOfPage = ["passport", "verification", "signing", "service"]

  /// Nil if the arguments are wrong.
  init?(_ arguments: [String], groups all: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json", "--markdown":
        guard form == .text else { return nil }
        form = argument == "--json" ? .json : .markdown
      case "--page":
        guard page == nil, let path = rest.popFirst() else { return nil }
        page = path
      case "--program":
        guard program == nil, let path = rest.popFirst() else { return nil }
        program = path
      default:
        guard all.contains(argument) else { return nil }
        groups.append(argument)
      }
    }
    // With some of the groups, or without a program, the article would lose its other rows.
    guard page == nil || groups.isEmpty && program != nil else { return nil }
    if groups.isEmpty { groups = page != nil || form == .markdown ? Self.groupsOfPage : all }
  }

  static func usage(groups: [String]) -> String {
    """
    usage: tessera-bench [--json | --markdown] [--program PATH] [\(groups.joined(separator: "] ["))]
           tessera-bench --page FILE --program PATH
    """
  }
}
