import Glibc

/// The lists of strings that the calls for starting programs take.
enum CStrings {
  /// - Returns: Pointers that the caller frees, and a null pointer at the end.
  static func list(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] { strings.map { strdup($0) } + [nil] }
}
