extension Example {
  static let fleet: [Example] = [
    Example(
      command: "tessera fleet", sentence: "Write the configuration of a server and the seeds, for trials:",
      line: "tessera fleet configure --desks 2 --inspectors 2 --out fleet", output: "written: "),
    Example(
      command: "tessera fleet configure", sentence: "Two desks and two inspectors, for trials on one machine:",
      line: "tessera fleet configure --desks 2 --inspectors 2 --out fleet", output: "written: "),
    Example(
      command: "tessera fleet configure", sentence: "Desks with names, and a cluster of three servers:",
      line: """
        tessera fleet configure --desks lobby,bar --inspectors 4 --out fleet \\
          --server n1=10.0.0.1 --server n2=10.0.0.2 --server n3=10.0.0.3 \\
          --tls-certificate /etc/nats/server.pem --tls-key /etc/nats/server.key \\
          --tls-ca /etc/nats/ca.pem
        """, needs: "certificates of the servers"),
    Example(
      command: "tessera fleet prepare", sentence: "Create the record and the store of certificates, once:",
      line: "tessera fleet prepare --fleet nats://127.0.0.1:4222 --fleet-seed fleet/admin.nk", needs: server),
    Example(
      command: "tessera fleet status", sentence: "Show the state of the fleet once:",
      line: "tessera fleet status --once --fleet nats://127.0.0.1:4222 --fleet-seed fleet/admin.nk", needs: server),
    Example(
      command: "tessera fleet read", sentence: "Read the specimen at a desk:",
      line: """
        tessera fleet read --virtual --fleet nats://127.0.0.1:4222 \\
          --fleet-seed fleet/desk-d1.nk
        """, needs: "a NATS server and an inspector"),
    Example(
      command: "tessera inspect", sentence: "Judge the specimens of trials, until SIGTERM:",
      line: """
        tessera inspect --virtual --fleet nats://127.0.0.1:4222 \\
          --fleet-seed fleet/inspector-i1.nk
        """, needs: "the package tessera-fleet and a NATS server"),
  ]

  private static let server = "a NATS server"

  static let passage: [Example] = [
    Example(
      command: "tessera-passage", sentence: "Show the site, with the token in a file, and then what was sent:",
      line: """
        tessera-passage open --ui-url https://ui.example --api-url https://api.example < token.txt
        tessera-passage log
        """, needs: "a desktop and the servers"),
    Example(
      command: "tessera-passage open", sentence: "Fill the screen with the site:",
      line: """
        tessera-passage open --ui-url https://ui.example --api-url https://api.example \\
          --token-file token.txt --full-screen
        """, needs: "a desktop and the servers"),
    Example(
      command: "tessera-passage log", sentence: "Show what was sent, one JSON object on each line:",
      line: "tessera-passage log --json"),
    Example(
      command: "tessera-passage clear", sentence: "Forget cookies and storage, and keep the log:",
      line: "tessera-passage clear --keep-log"),
    Example(
      command: "tessera-passage sandbox", sentence: "See which devices a page could reach:",
      line: "tessera-passage sandbox -- /usr/bin/ls -la /dev", needs: "bubblewrap and a desktop"),
  ]
}
