package import TesseraBridge

/// The permissions of all callers. A web origin has only the permissions of its grants. Local programs of the user have
/// all permissions, unless a grant for `local` limits them.
public struct Grants: Sendable, Equatable {
  private var permissions: [Caller: Set<Grant.Permission>] = [:]
  private var denials: [Caller: Set<Grant.Permission>] = [:]

  /// Combines the permissions of several grants for one caller. A denial outweighs them.
  public init(_ grants: [Grant] = []) {
    for grant in grants { insert(grant) }
  }

  package mutating func insert(_ grant: Grant) {
    if !grant.permissions.isEmpty {
      permissions[grant.caller, default: []].formUnion(grant.permissions.flatMap(\.covered))
    }
    if !grant.denials.isEmpty { denials[grant.caller, default: []].formUnion(grant.denials.flatMap(\.denied)) }
  }

  /// These and more. The grants of the person stay as they are, and so do the denials.
  package func adding(_ grants: [Grant]) -> Grants {
    var all = self
    for grant in grants { all.insert(grant) }
    return all
  }

  /// What is known about a request.
  package enum Decision: Sendable {
    case granted, denied
    /// No grant mentions it.
    case undecided
  }

  package func decision(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Decision {
    let (whole, single) = (Grant.Permission(domain), Grant.Permission(domain, method))
    if let denied = denials[caller], denied.contains(whole) || denied.contains(single) { return .denied }
    guard let granted = permissions[caller] else { return caller == .local ? .granted : .undecided }
    return granted.contains(whole) || granted.contains(single) ? .granted : .undecided
  }

  /// Whether the caller may connect: local programs, and pages of an origin with a grant.
  package func knows(_ caller: Caller) -> Bool { caller == .local || permissions[caller] != nil }

  package func allows(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Bool {
    decision(caller, domain, method) == .granted
  }
}
