public import Failures
import Glibc

/// Why a folder of files cannot be used.
public enum FolderError: Error, Sendable, Equatable {
  /// A call of the operating system failed, with this `errno`.
  case system(folder: String, code: Int32)
  /// What is in a file's place was not written here: a link, a folder, a device, more bytes than such a file has.
  case foreignFile(folder: String)
  /// Another process is changing it, and does not end.
  case held(folder: String)
}

extension FolderError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .system(let folder, let code):
      Failure(
        [ENOSPC, EDQUOT].contains(code) ? .storageFull : .storageUnavailable,
        "The folder \(folder) cannot be used: \(String(cString: strerror(code)).lowercased()).",
        remedy: "See that it is your own and that there is room.", details: ["errno": "\(code)"])
    case .foreignFile(let folder):
      Failure(
        .storageUnavailable, "The folder \(folder) cannot be used: a file in it is none of ours.",
        remedy: "See what was put there, and take it away.")
    case .held(let folder):
      Failure(
        .storageUnavailable, "The folder \(folder) cannot be used: another process is changing it, and does not end.",
        remedy: "See which one it is, with lsof.")
    }
  }
}
