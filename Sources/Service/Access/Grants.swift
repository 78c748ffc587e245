public import Bridge

/// Who may do what. Web origins may do nothing that they were not granted; the local user's programs may do everything,
/// unless a grant names them.
public struct Grants: Sendable, Equatable {
  private var permissions: [BridgeCaller: Set<Grant.Permission>] = [:]

  /// Several grants of one caller add up.
  public init(_ grants: [Grant] = []) {
    for grant in grants { permissions[grant.caller, default: []].formUnion(grant.permissions.flatMap(\.covered)) }
  }

  /// Whether this caller is known at all: a page of an origin that is not gets no connection.
  public func knows(_ caller: BridgeCaller) -> Bool { caller == .local || permissions[caller] != nil }

  public func allows(_ caller: BridgeCaller, _ domain: BridgeDomain, _ method: String) -> Bool {
    guard let granted = permissions[caller] else { return caller == .local }
    return granted.contains(Grant.Permission(domain)) || granted.contains(Grant.Permission(domain, method))
  }
}
