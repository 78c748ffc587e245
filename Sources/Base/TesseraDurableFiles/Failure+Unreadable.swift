import Glibc
package import TesseraCore

extension Failure {
  /// What a user named as an input cannot be read: in the same words in each program.
  ///
  /// - Parameters:
  ///   - path: as the user wrote it.
  ///   - code: `errno` of the call that failed; nil to look for the reason now.
  ///   - isFolder: whether it must be a folder.
  package static func unreadable(_ path: String, _ code: Int32? = nil, isFolder: Bool = false) -> Failure {
    let code = code ?? reason(path, isFolder: isFolder)
    let remedy =
      switch code {
      case ENOENT: "Check the path."
      case ENOTDIR: isFolder ? "Specify a folder." : "Check the path."
      case EISDIR: "Specify a file."
      case EACCES, EPERM: "Check its permissions."
      default: "Check that it is a readable \(isFolder ? "folder" : "file or an open pipe")."
      }
    let reason =
      switch code {
      case 0: ""
      // The second one is of a closed descriptor whose number something else has got.
      case EBADF, EINVAL: ": it is not open for reading"
      default: ": \(String(cString: strerror(code)).lowercased())"
      }
    return Failure(.usage, "\(PrintableText.of(path)) cannot be read\(reason).", remedy: remedy)
  }

  /// 0 if nothing that the kernel knows is in the way.
  private static func reason(_ path: String, isFolder: Bool) -> Int32 {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno }
    if isFolder, status.st_mode & S_IFMT != S_IFDIR { return ENOTDIR }
    return access(path, R_OK) == 0 ? 0 : errno
  }
}
