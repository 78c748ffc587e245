/// Times of the conversation between a host and the views.
package enum HostTiming {
  /// How long the views may take to answer a request.
  package static let answer = Duration.seconds(75)
  /// How long a script may take: the answer must say that it took too long.
  package static let script = Duration.seconds(70)
}
