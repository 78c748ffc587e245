import Glibc

/// Who can change a file or a folder.
package struct Ownership: Sendable {
  /// Whether another user than this one and root owns it, or other users can write to it. False if there is nothing.
  package let isOpenToOthers: Bool
  /// Whether it is open to others, or every user can read it. The group is the administrator's decision.
  package let exposesSecrets: Bool

  /// - Parameter path: links are followed.
  package init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      (isOpenToOthers, exposesSecrets) = (false, false)
      return
    }
    let isOwn = status.st_uid == geteuid() || status.st_uid == 0
    isOpenToOthers = !isOwn || status.st_mode & 0o022 != 0
    exposesSecrets = isOpenToOthers || status.st_mode & 0o004 != 0
  }
}
