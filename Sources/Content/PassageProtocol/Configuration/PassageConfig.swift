/// What a program tells Passage: the servers, and who the program is. No address is built in.
///
/// Every address is one of https, or of http on this machine for tests. It may have a path, to which the paths of
/// requests are added.
public struct PassageConfig: Sendable, Equatable {
  /// Where the branded page is: the start page is `{uiUrl}/connect`.
  public var uiUrl: String
  /// The server of the automation.
  public var apiUrl: String
  /// The server of the socket; nil for `apiUrl`.
  public var socketUrl: String?
  /// The server that also records the results; nil for none.
  public var sessionUrl: String?
  /// Where the configuration is, and where results and browser states go; nil for `apiUrl`.
  public var automationUrl: String?
  /// The namespace of the socket.
  public var socketNamespace = "/ws"
  /// The name of the program for the servers.
  public var agentName = "tessera-passage"
  /// Whether `join` is sent when the socket is connected. The query of the connection says the same.
  public var sendsJoin = true
  /// Whether results are also sent over the socket, as the event `commandResult`.
  public var sendsResultsOverSocket = true
  /// Where statistics of use go; nil for none, which is the default.
  public var analyticsUrl: String?

  public init(uiUrl: String, apiUrl: String, socketUrl: String? = nil, sessionUrl: String? = nil) {
    self.uiUrl = uiUrl
    self.apiUrl = apiUrl
    self.socketUrl = socketUrl
    self.sessionUrl = sessionUrl
  }
}
