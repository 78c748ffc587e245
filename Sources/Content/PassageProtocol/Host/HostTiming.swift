/// Times of the conversation between a host and the views. The host waits longer than everything that the views wait
/// for: their answers say what took too long.
package enum HostTiming {
  /// How long the views may take to answer a request.
  package static let answer = removal * removals + script + .seconds(5)
  /// How long a script may take: the answer must say that it took too long.
  package static let script = Duration.seconds(70)
  /// How long requests wait for cookies that the session removes: WebKit may not answer.
  package static let removal = Duration.seconds(10)
  /// How often in a row a session removes cookies: what the token names, and what the configuration names (3.1).
  private static let removals = 2
  /// How long the program may take to say goodbye to its server and to end.
  package static let ending = Duration.seconds(10)
  /// How long a session's goodbye to its server may take after the host is gone.
  package static let goodbye = Duration.seconds(6)
  /// How long requests that are under way may still take after that.
  package static let lastRequests = Duration.seconds(2)
  /// How long a host that ends waits for the last lines of the program's standard error. They come at once, unless the
  /// machine is busy, or another program keeps the stream open.
  package static let lastLines = Duration.seconds(10)
}
