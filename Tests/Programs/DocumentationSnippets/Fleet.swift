import TesseraFleet

/// Reads a document that an inspector of the fleet judges.
func readAtDesk(_ request: InspectionRequest) async throws {
  guard let name = DeskName("d1") else { return }
  let servers = FleetServers(["nats://127.0.0.1:4222"], seedFile: "fleet/desk-d1.nk")
  let desk = try await FleetDesk.connect(to: servers, as: name)
  let reading = try await desk.read(.any(CardSelection()), request, mode: .witnessed)
  print(reading.headline, reading.recorded)
  await desk.close()
}
