package import TesseraNATS

/// The stream that keeps the record of each read, and dumps if the policy allows them. Its own limits delete the
/// oldest; a message is never changed, and a read has one record.
package enum RecordStream {
  package static let name = "TESSERA_RECORD"
  /// The records, and the parts of dumps.
  package static let subject = "tessera.record.*.*"

  /// How long the stream knows the ids of messages. Afterwards it knows a record by its subject.
  private static let duplicateWindow = Duration.seconds(600)

  /// - Parameters:
  ///   - replicas: servers that have a copy: 1, 3 or 5.
  ///   - maximumBytes: of all messages. When they are reached, the stream takes no record until others are deleted; nil
  ///     for the limit of the server.
  ///   - maximumAge: after which a record is deleted; nil for never.
  package static func configuration(
    replicas: Int, maximumBytes: Int? = nil, maximumAge: Duration? = nil
  ) -> StreamConfiguration {
    var configuration = StreamConfiguration(name: name, subjects: [subject], replicas: replicas)
    configuration.maximumMessagesPerSubject = 1
    configuration.refusesNew = true
    configuration.refusesNewPerSubject = true
    configuration.maximumBytes = maximumBytes
    configuration.maximumAge = maximumAge
    configuration.duplicateWindow = min(duplicateWindow, maximumAge ?? duplicateWindow)
    configuration.allowsDirect = true
    return configuration
  }
}
