/// A desk or an inspector, as a server's configuration names it.
package struct FleetUser: Sendable, Equatable {
  /// 1 to 32 characters of `a` to `z`, `0` to `9` and `-`: a token of its subjects.
  package let name: String
  package let key: NKeyPublicKey

  /// - Throws: `FleetAuthorityError.badName`, `.notAUser`.
  package init(name: String, key: NKeyPublicKey) throws {
    guard Self.isName(name) else { throw FleetAuthorityError.badName(name) }
    guard key.kind == .user else { throw FleetAuthorityError.notAUser(name: name) }
    self.name = name
    self.key = key
  }

  static func isName(_ name: String) -> Bool { DeskName(name) != nil }
}
