"""Makes a database of KeePassXC whose root group its Secret Service serves: database.py FILE PASSWORD"""
import sys, uuid
from lxml import etree
from pykeepass import create_database

path, password = sys.argv[1:]
database = create_database(path, password=password)
meta = database.tree.find("Meta")
custom = meta.find("CustomData")
if custom is None:
    custom = etree.SubElement(meta, "CustomData")
item = etree.SubElement(custom, "Item")
etree.SubElement(item, "Key").text = "FDO_SECRETS_EXPOSED_GROUP"
etree.SubElement(item, "Value").text = "{%s}" % database.root_group.uuid
database.save()
