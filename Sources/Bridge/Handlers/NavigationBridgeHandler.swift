/// The `navigation` domain: `goBack`, `goTo`. Pages navigate by themselves; what is handled here are moves out of them,
/// for which a host needs windows.
public struct NavigationBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.navigation
  private let host: (any NavigationHost)?

  /// - Parameter host: nil where there are no windows: nothing is handled then, and the page is told so.
  public init(host: (any NavigationHost)? = nil) { self.host = host }

  enum Method: String, CaseIterable {
    case goBack, goTo
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    switch method {
    case .goBack: return ["handled": .bool(await host?.goBack() ?? false)]
    case .goTo:
      let route = try request.parameters.required("routeName", orElse: "MISSING_ROUTE")
      let parameters: JSONObject
      if case .object(let members)? = request.parameters["params"] { parameters = members } else { parameters = [:] }
      return ["handled": .bool(await host?.goTo(route, parameters) ?? false)]
    }
  }
}

/// Moves between the screens of a program with windows.
public protocol NavigationHost: Sendable {
  /// - Returns: whether anything was done.
  func goBack() async -> Bool
  /// - Parameter route: a name that the page chose; hosts handle the names that they know.
  /// - Returns: whether anything was done.
  func goTo(_ route: String, _ parameters: JSONObject) async -> Bool
}
