import Glibc
import TesseraCore

/// Root of the machine is not confined by namespaces, and WebKit's sandbox inside of that of the program needs an
/// ordinary user. Also, what the sandbox wrote is not for root to follow.
enum RootIdentity {
  /// The process of root takes on the identity that owns the folders of Passage, without a way back. Without effect for
  /// other users.
  ///
  /// - Throws: `Failure` if the system does not permit it.
  static func giveUp() throws(Failure) {
    guard getuid() == 0 || geteuid() == 0 else { return }
    let user = PassageFolders.substituteOfRoot
    // For root, both calls also set the saved identity.
    guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0, geteuid() == user, setuid(0) != 0 else {
      throw Failure(
        .serviceUnavailable, "The process cannot give up the rights of root.",
        remedy: "Run tessera-passage as an ordinary user.")
    }
  }
}
