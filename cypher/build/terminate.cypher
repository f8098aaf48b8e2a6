// Ends the open transactions of builds, which may hold locks while their process is suspended.
SHOW TRANSACTIONS YIELD transactionId, metaData
WHERE metaData.kg_build IN $builds
TERMINATE TRANSACTIONS transactionId YIELD transactionId AS id
RETURN id
