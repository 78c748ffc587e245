import Glibc
package import TesseraCore

extension Failure {
  /// What a user named as an output cannot be written: in the same words in each program.
  ///
  /// - Parameters:
  ///   - path: as the user wrote it.
  ///   - code: `errno` of the call that failed; nil to look for the reason now, which does not find a full disk.
  ///   - isFolder: whether it must be a folder.
  package static func unwritable(_ path: String, _ code: Int32? = nil, isFolder: Bool = false) -> Failure {
    let code = code ?? obstacle(path, isFolder: isFolder)
    let (reason, remedy): (String, String) =
      switch code {
      case EISDIR: ("it is a folder", "Specify a file.")
      case ENOTDIR where isFolder && exists(path): ("it is a file", "Specify a folder.")
      case ENOTDIR: ("a part of its path is not a folder", "Check the path.")
      case ENOENT: ("its folder does not exist", "Create the folder, or specify another path.")
      case ELOOP where isLink(path):
        ("it is a link, and links are not followed", "Specify the file that the link points to.")
      case EACCES, EPERM: (text(code), "Check its permissions and those of its folder.")
      case EROFS: (text(code), "Specify a path elsewhere.")
      case ENOSPC, EDQUOT: (text(code), "Free some space, or specify a path elsewhere.")
      case 0: ("", "Check the folder, its permissions and the free space.")
      default: (text(code), "Check the folder, its permissions and the free space.")
      }
    let cause = "\(PrintableText.of(path)) cannot be written\(reason.isEmpty ? "" : ": \(reason)")."
    return Failure(.usage, cause, remedy: remedy)
  }

  /// The error of a write of several files into a folder, or of one file.
  package static func unwritable(_ path: String, _ error: FolderError, isFolder: Bool = false) -> Failure {
    guard case .system(_, let code) = error else { return unwritable(path, isFolder: isFolder) }
    return unwritable(path, code, isFolder: isFolder)
  }

  /// Why a file cannot be created or replaced, or a folder not be filled: `errno`; 0 if nothing that the kernel knows is in
  /// the way.
  package static func obstacle(_ path: String, isFolder: Bool = false) -> Int32 {
    var status = stat()
    if isFolder {
      guard stat(path, &status) == 0 else { return errno }
      guard status.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
      return access(path, W_OK | X_OK) == 0 ? 0 : errno
    }
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
    return obstacle(PrivateFolder(ofFile: path).path, isFolder: true)
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}

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
