// Saves by what the mentions of a name that is split are told apart.
MATCH ()-[compared:COMPARED {id: $id}]->()
SET compared.split_name = $name, compared.split_label = $label, compared.split_types = $types,
    compared.split_documents = $documents
