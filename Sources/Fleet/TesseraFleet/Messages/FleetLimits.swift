/// The limits of a fleet: the sizes of messages, and the times that both ends wait. Times count on the monotonic clock.
package struct FleetLimits: Sendable {
  // MARK: - Sizes

  /// The bytes of files in one message. In base64 it stays below the server's limit of 1 MB.
  package var partSize = 512 << 10
  /// The bytes of files of one read.
  package var readSize = 8 << 20
  /// The files of one read: six of the card and sixteen data groups.
  package var fileCount = 22
  /// The bytes of one message.
  package var messageSize = 1 << 20
  /// The commands of one batch.
  package var batchCount = 256
  /// The bytes of the commands of one batch, and of its responses.
  package var batchSize = 384 << 10
  /// The bytes of one command or response APDU.
  package var apduSize = 65_544
  /// The bytes of one text: a reader's name, a reason.
  package var textSize = 1_024

  // MARK: - The desk's times

  /// A whole read with all its repetitions, from the card to the verdict.
  package var overall = Duration.seconds(60)
  /// How long a read whose time has ended waits for the response to its last command: longer than a reader needs to
  /// abort one.
  package var ending = Duration.seconds(3)
  /// The response to the beginning of a read. There is none if no inspector runs.
  package var begin = Duration.seconds(5)
  /// The response of an inspector that judges and records.
  package var answer = Duration.seconds(20)
  /// How long a server that has just started may not know the inspectors of the other servers.
  package var route = Duration.seconds(5)
  /// Between two signs of an inspector that reads remotely.
  package var silence = Duration.seconds(15)
  /// The longest time for the commands of one batch. The rest is executed in the next one.
  package var batch = Duration.seconds(20)
  /// The pause before the first repetition. Each further one doubles it, up to `longestPause`.
  package var firstPause = Duration.milliseconds(100)
  package var longestPause = Duration.seconds(2)

  // MARK: - The inspector's times

  /// From the beginning of a witnessed read to its files: the desk reads the chip meanwhile.
  package var reading = Duration.seconds(120)
  /// From the agreement to its answer: a few exchanges with the chip.
  package var proof = Duration.seconds(30)
  /// A whole remote read.
  package var remote = Duration.seconds(180)
  /// A desk's response to one batch.
  package var relay = Duration.seconds(40)
  /// How long after a relay request its response still counts, at most: until the read is given up, and its last request.
  package var relayResponse: Duration { remote + relay }
  /// Between two signs of life to a desk whose document is read remotely.
  package var heartbeat = Duration.seconds(4)
  /// How long an inspector that stops answers the reads under way.
  package var drain = Duration.seconds(15)

  // MARK: - The inspector's numbers

  /// The reads under way, of all desks.
  package var reads = 256
  /// The reads under way of one desk.
  package var readsPerDesk = 8
  /// The bytes of files of the reads under way, of all desks.
  package var heldSize = 256 << 20
  /// The bytes of files of the reads under way of one desk.
  package var heldSizePerDesk = 16 << 20

  package init() {}
}
