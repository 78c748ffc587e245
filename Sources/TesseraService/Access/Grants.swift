package import TesseraBridge

/// The permissions of all callers. A web origin has only the permissions of its grants. Local programs of the user have
/// all permissions, unless a grant for `local` limits them.
public struct Grants: Sendable, Equatable {
  private var permissions: [Caller: Set<Grant.Permission>] = [:]

  /// Combines the permissions of several grants for one caller.
  public init(_ grants: [Grant] = []) {
    for grant in grants { permissions[grant.caller, default: []].formUnion(grant.permissions.flatMap(\.covered)) }
  }

  /// Whether the caller may connect: local programs, and pages of an origin with a grant.
  package func knows(_ caller: Caller) -> Bool { caller == .local || permissions[caller] != nil }

  package func allows(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Bool {
    guard let granted = permissions[caller] else { return caller == .local }
    return granted.contains(Grant.Permission(domain)) || granted.contains(Grant.Permission(domain, method))
  }
}
