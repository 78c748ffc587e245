extension BridgeDomain {
  public static let navigation = BridgeDomain(
    "navigation", NavigationBridgeHandler.Method.self, wish: nil)
}

/// The `navigation` domain: `goBack`, `goTo`. A page handles its own navigation; these methods leave the page for
/// another screen of the host.
public struct NavigationBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.navigation
  private let host: (any NavigationHost)?

  /// - Parameter host: nil for a program without windows: the response is `{"handled": false}`.
  public init(host: (any NavigationHost)? = nil) { self.host = host }

  enum Method: String, CaseIterable {
    case goBack, goTo
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
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

/// The navigation between the screens of a program.
public protocol NavigationHost: Sendable {
  /// Leaves the page for the previous screen.
  ///
  /// - Returns: whether the host handled the request.
  func goBack() async -> Bool
  /// Leaves the page for another screen.
  ///
  /// - Parameters:
  ///   - route: the name of a screen, chosen by the page.
  ///   - parameters: the `params` of the request.
  /// - Returns: whether the host handled the request; false for an unknown name.
  func goTo(_ route: String, _ parameters: JSONObject) async -> Bool
}
