import Glibc
package import TesseraCore

/// The reason why a folder is unusable.
package enum FolderError: Error, Sendable, Equatable {
  /// A system call failed with this `errno`.
  case system(folder: String, code: Int32)
  /// Another program created a file at this path: a link, a folder, a device or a file that is too large.
  case foreignFile(folder: String)
  /// Another process has locked the folder for too long.
  case locked(folder: String)
}

extension FolderError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .system(let folder, let code):
      Failure(
        [ENOSPC, EDQUOT].contains(code) ? .storageFull : .storageUnavailable,
        "The folder \(folder) is unusable: \(String(cString: strerror(code)).lowercased()).",
        remedy: "Make sure that you own the folder and that the disk is not full.", details: ["errno": "\(code)"])
    case .foreignFile(let folder):
      Failure(
        .storageUnavailable, "The folder \(folder) contains a file of another program.",
        remedy: "Remove the file.")
    case .locked(let folder):
      Failure(
        .storageUnavailable, "Another process has locked the folder \(folder) for too long.",
        remedy: "Find the process with lsof, and terminate it.")
    }
  }
}
