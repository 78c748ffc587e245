#!/usr/bin/env bash
# With secure_delete, SQLite leaves a deleted record in its log, also after a full checkpoint.
#
# Guess: SQLite 3.40.1 of Debian 12, which overwrites what is deleted with zeros by default (PRAGMA secure_delete is 1), has no octet of a
# record in its files once DELETE is committed, or with a write-ahead log once PRAGMA wal_checkpoint(FULL) has copied the log.
# Seen: zeros are only written into the pages of the database. In the mode "wal" a record that was stored and deleted stays in the file
# -wal after a full checkpoint, which reports success, and for some of the commits that follow: SQLite overwrites the log from its
# beginning and does not shorten it. In the mode "persist" it is in the file -journal until the next change. A service keeps its
# connection open for months; wal_checkpoint(TRUNCATE) or the end of the last connection removes the record. In the modes
# "delete" and "truncate" no file has it. Who promises to delete the names of travellers has to truncate the log after each deletion.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=3.40.1-2+deb12u2
apt-get download -qq -o APT::Sandbox::User=root "sqlite3=$version" "libsqlite3-0=$version" || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH
cat > where <<'END'
#!/bin/sh
echo "  $1:" $(grep -l ERIKSSON-L898902C3 guests.db guests.db-wal guests.db-journal 2> missing)
END
chmod +x where

for mode in delete truncate persist wal; do
  rm -f guests.db*
  echo "mode $mode"
  sqlite3 guests.db > log 2>&1 <<END
PRAGMA journal_mode = $mode;
CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO guest VALUES (1, 'another');
PRAGMA wal_checkpoint(TRUNCATE);
INSERT INTO guest VALUES (3, 'another');
INSERT INTO guest VALUES (4, 'another');
INSERT INTO guest VALUES (2, 'ERIKSSON-L898902C3');
.shell ./where stored >> seen
.output seen.value
PRAGMA secure_delete;
.output log
DELETE FROM guest WHERE id = 2;
.shell ./where deleted >> seen
PRAGMA wal_checkpoint(FULL);
.shell ./where 'after a full checkpoint' >> seen
UPDATE guest SET name = 'a third one' WHERE id = 1;
.shell ./where 'after the next commit' >> seen
PRAGMA wal_checkpoint(TRUNCATE);
.shell ./where 'after a checkpoint that truncates' >> seen
END
  echo "  secure_delete: $(cat seen.value)"
  cat seen
  rm seen
  ./where closed
done | tee report
diff report - <<'END'
mode delete
  secure_delete: 1
  stored: guests.db
  deleted:
  after a full checkpoint:
  after the next commit:
  after a checkpoint that truncates:
  closed:
mode truncate
  secure_delete: 1
  stored: guests.db
  deleted:
  after a full checkpoint:
  after the next commit:
  after a checkpoint that truncates:
  closed:
mode persist
  secure_delete: 1
  stored: guests.db
  deleted: guests.db-journal
  after a full checkpoint: guests.db-journal
  after the next commit:
  after a checkpoint that truncates:
  closed:
mode wal
  secure_delete: 1
  stored: guests.db-wal
  deleted: guests.db-wal
  after a full checkpoint: guests.db-wal
  after the next commit: guests.db-wal
  after a checkpoint that truncates:
  closed:
END
